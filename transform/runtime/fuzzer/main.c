/* The main of a fuzzer's harness, which has none of its own: a program that defines
 * LLVMFuzzerTestOneInput. For the executor and for native replays alike. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *, size_t));

int main(int argc, char **argv)
{
	return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}

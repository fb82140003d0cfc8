/* A harness with a main of its own, as some have for runs without a fuzzer. */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	puts(size == 1 && *data == '!' ? "harness, found" : "harness");
	return 0;
}

#ifdef RUN_DRIVER
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *, size_t));

int main(int argc, char **argv)
{
	puts("main");
	return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}
#else
int main(void)
{
	puts("main");
	return LLVMFuzzerTestOneInput((const uint8_t *)"!", 1);
}
#endif

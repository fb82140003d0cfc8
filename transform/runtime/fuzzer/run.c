/* What libFuzzer's driver is to a harness, for the executor: the harness is called once, with
 * symbolic data of symbolic size. The data have an object of exactly that size, so that a byte too
 * far is a fault. A harness with a main of its own may call LLVMFuzzerRunDriver.
 *
 * What the harness returns means nothing here: -1 asks a fuzzer to leave the input out of its
 * corpus. LLVMFuzzerCustomMutator and its relatives are never called. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The executor's. The size is at most --fuzz-max-len; the data fill the object that they are
 * given. They are the objects `fuzz_size` and `fuzz_data` of a test case. */
size_t __plat_fuzz_size(void);
void __plat_fuzz_data(uint8_t *data, size_t size);

__attribute__((__weak__)) int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *, size_t))
{
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(argc, argv);
	size_t size = __plat_fuzz_size();
	uint8_t *data = malloc(size);
	__plat_fuzz_data(data, size);
	test(data, size);
	free(data);
	return 0;
}

/* A harness that mutates its inputs itself asks for this one. It stays as it is. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data;
	return size < most ? size : most;
}

/* A native driver for fuzzers' harnesses, in place of libFuzzer's: it runs the harness on given
 * inputs and searches for none.
 *
 *	harness FILE...			on each file, one after the other
 *	KTEST_FILE=FILE.ktest harness	on a test case
 *	harness <FILE			on standard input
 *
 * Each input is a heap copy of exactly its size, for AddressSanitizer to watch. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a test case; see replay.c. */
size_t __plat_fuzz_size(void);
void __plat_fuzz_data(uint8_t *data, size_t size);

__attribute__((__weak__)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* An error that a sanitizer reports ends the process by a signal, as plat replay expects. */
__attribute__((__weak__)) void __sanitizer_set_death_callback(void (*callback)(void));

static void start(int *argc, char ***argv)
{
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(abort);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(argc, argv);
}

static void *allocate(void *old, size_t size)
{
	void *new = realloc(old, size ? size : 1);
	if (!new) {
		fputs("no memory for the input\n", stderr);
		exit(1);
	}
	return new;
}

static void run(int (*test)(const uint8_t *, size_t), const uint8_t *bytes, size_t size)
{
	uint8_t *data = malloc(size);
	if (!data && size)
		allocate(NULL, size);
	if (size)
		memcpy(data, bytes, size);
	test(data, size);
	free(data);
}

static void run_file(int (*test)(const uint8_t *, size_t), FILE *file)
{
	size_t size = 0, room = 1 << 12;
	uint8_t *bytes = allocate(NULL, room);
	for (size_t count; (count = fread(bytes + size, 1, room - size, file)) > 0;) {
		size += count;
		if (size == room)
			bytes = allocate(bytes, room *= 2);
	}
	run(test, bytes, size);
	free(bytes);
}

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *, size_t))
{
	start(argc, argv);
	int files = 0;
	for (int i = 1; i < *argc; i++) {
		const char *name = (*argv)[i];
		if (*name == '-')
			continue;	/* an option of libFuzzer's */
		FILE *file = fopen(name, "rb");
		if (!file) {
			fprintf(stderr, "%s: %s\n", name, strerror(errno));
			exit(1);
		}
		fprintf(stderr, "Running: %s\n", name);
		run_file(test, file);
		fclose(file);
		files++;
	}
	if (files)
		return 0;
	if (!getenv("KTEST_FILE")) {
		run_file(test, stdin);
		return 0;
	}
	size_t size = __plat_fuzz_size();
	uint8_t *bytes = allocate(NULL, size);
	__plat_fuzz_data(bytes, size);
	run(test, bytes, size);
	free(bytes);
	return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data;
	return size < most ? size : most;
}

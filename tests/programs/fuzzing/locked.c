/* A text without end behind which paths multiply, and a part that is locked: the key's hash is known,
 * the key is not found by solving. A fuzzer's input that has the key opens it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash(const uint8_t *data, int size)
{
	uint64_t hash = 0x9e3779b97f4a7c15u;
	for (int round = 0; round < 4; round++)
		for (int i = 0; i < size; i++) {
			hash ^= data[i];
			hash *= 0xff51afd7ed558ccdu;
			hash ^= hash >> 33;
		}
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 9 && data[0] == 'K') {
		if (hash(data, 8) != 0xc71484c79d33ca17u /* "Key4plat" */) {
			puts("wrong key");
			return 0;
		}
		puts(data[8] == '!' ? "opened, loudly" : "opened");
		return 0;
	}
	int kinds[4] = { 0 };
	for (size_t i = 0; i < size; i++)
		kinds[data[i] % 4]++;
	printf("%d %d %d\n", kinds[0], kinds[1], kinds[2]);
	return 0;
}

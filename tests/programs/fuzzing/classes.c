/* Classes of inputs, told apart by size and bytes. With -DBRUTE, all inputs of up to two bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned sum = 0, number = 0;
	for (size_t i = 0; i < size; i++) {
		sum += data[i];
		number = number << 8 | data[i];
	}
	if (number == 0xcafe)
		puts("the number");
	else if (size && sum == 0)
		printf("%zu zeros\n", size);
	else if (size == 2 && data[0] == data[1])
		puts(number % 251 == 7 ? "twice, and seven" : "twice");
	else if (sum > 300)
		puts("much");
	else
		printf("%zu bytes, %s\n", size, sum & 1 ? "odd" : "even");
	return size == 1 ? -1 : 0;
}

#ifdef BRUTE
int main(void)
{
	for (size_t size = 0; size <= 2; size++)
		for (unsigned number = 0; number < 1u << 8 * size; number++) {
			uint8_t *data = malloc(size);
			for (size_t i = 0; i < size; i++)
				data[i] = number >> 8 * i;
			LLVMFuzzerTestOneInput(data, size);
			free(data);
		}
	return 0;
}
#endif

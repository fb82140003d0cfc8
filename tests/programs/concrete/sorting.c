/* qsort and bsearch on a thousand pseudo-random numbers. */
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

int main(void)
{
	enum { N = 1000 };
	unsigned *numbers = malloc(N * sizeof *numbers), seed = 1;
	for (int i = 0; i < N; i++)
		numbers[i] = (seed = seed * 1103515245u + 12345u) >> 8;
	unsigned key = numbers[500], sum = 0;
	qsort(numbers, N, sizeof *numbers, compare);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + numbers[i];
	unsigned *found = bsearch(&key, numbers, N, sizeof *numbers, compare);
	printf("%u %u %u %td\n", numbers[0], numbers[N - 1], sum, found ? found - numbers : -1);
	free(numbers);
	return 0;
}

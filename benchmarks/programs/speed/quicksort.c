/* Concrete code: recursion and swaps. -DN=100000 */
#include <stdlib.h>

#ifndef N
#define N 100000
#endif

static void sort(int *low, int *high)
{
	while (low < high) {
		int pivot = low[(high - low) / 2];
		int *left = low - 1, *right = high + 1;
		for (;;) {
			do
				left++;
			while (*left < pivot);
			do
				right--;
			while (*right > pivot);
			if (left >= right)
				break;
			int other = *left;
			*left = *right;
			*right = other;
		}
		sort(low, right);
		low = right + 1;
	}
}

int main(void)
{
	int *numbers = malloc(N * sizeof *numbers);
	unsigned seed = 1;
	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		numbers[i] = seed >> 1;
	}
	sort(numbers, numbers + N - 1);
	for (int i = 1; i < N; i++)
		if (numbers[i - 1] > numbers[i])
			return 1;
	return 0;
}

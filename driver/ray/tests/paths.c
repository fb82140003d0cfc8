/* A thousand paths, some of which take long, and a fault. */
#include <stdio.h>

static unsigned mix(unsigned seed, int rounds)
{
	for (int i = 0; i < rounds; i++)
		seed = seed * 1664525 + 1013904223 + (seed >> 7);
	return seed;
}

int main(void)
{
	unsigned sum = 0;
	int c, digits = 0, table[10] = {0};
	while ((c = getchar()) != EOF) {
		switch (c) {
		case 'a': sum += mix(sum, 20000); break;
		case 'b': sum += mix(sum, 600000); break;
		case 'c': sum ^= 7; break;
		case 'd': sum <<= 1; break;
		case 'e': sum = ~sum; break;
		case '+': sum++; break;
		case '-': sum--; break;
		default:
			if (c >= '0' && c <= '9') {
				table[c - '0']++;
				digits++;
			}
		}
	}
	if (digits == 3 && table[7] == 3)
		table[table[7] * 5] = 1;
	printf("%u\n", sum);
	return digits;
}

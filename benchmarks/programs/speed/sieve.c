/* Concrete code: loads, stores and branches on one large array. -DN=2000000 */
#include <stdlib.h>

#ifndef N
#define N 2000000
#endif

int main(void)
{
	unsigned char *composite = calloc(N, 1);
	unsigned primes = 0;
	for (unsigned i = 2; i < N; i++) {
		if (composite[i])
			continue;
		primes++;
		for (unsigned long j = (unsigned long)i * i; j < N; j += i)
			composite[j] = 1;
	}
	return N != 2000000 || primes == 148933 ? 0 : 1;
}

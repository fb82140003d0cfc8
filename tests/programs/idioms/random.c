/* Random numbers that decide, one of each function. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	unsigned seed = 1;
	unsigned short state[3] = {1, 2, 3};
	srand(7);
	if (rand() % 1000 == 777)
		puts("rand");
	if (random() < 5)
		puts("random");
	if (rand_r(&seed) == RAND_MAX)
		puts("rand_r");
	if (lrand48() < 0 || nrand48(state) < 0)
		puts("never");
	long number = mrand48();
	if (number < 0)
		puts("negative");
	if (number != (int)number)
		puts("never");
	if (jrand48(state) == -3)
		puts("jrand48");
	puts(rand() & 1 ? "odd" : "even");
	return 0;
}

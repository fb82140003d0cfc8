/* Reads and writes at symbolic positions of an object of 512 bytes. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	unsigned char *bytes = malloc(512);
	for (int i = 0; i < 512; i++)
		bytes[i] = (unsigned char)(i / 2);
	unsigned at = (unsigned)klee_range(0, 512, "at");
	bytes[at] ^= 0x55;
	if (bytes[at] < 128)
		puts("low");
	else
		puts("high");
	return 0;
}

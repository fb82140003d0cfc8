/* What the programs of the corpus share. */
#ifndef AGREE_H
#define AGREE_H

#include <klee/klee.h>
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints a value that lies in [low, high]: one path for each value, so that what a path prints
 * does not depend on the input that was chosen for its test. */
static inline void show(const char *label, long value, long low, long high)
{
	for (long i = low; i <= high; i++)
		if (value == i) {
			printf("%s=%ld\n", label, i);
			return;
		}
	printf("%s=?\n", label);
}

/* An exit code, one path for each. */
static inline int decide(long code)
{
	for (int i = 0; i < 256; i++)
		if ((code & 255) == i)
			return i;
	return 0;
}

#endif

/* KDAlloc paper, listing 1: the block that a string was in is used after its free, through a
 * library call, when another string of the same size has been made meanwhile. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *mallocfree(void)
{
	char *s = strdup("A");
	free(s);
	char *t = strdup("B");
	return s;
}

int main(void)
{
	char *s = mallocfree();
	puts(s);
	return 0;
}

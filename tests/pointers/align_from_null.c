/* The alignment macro of obstacks: (char *)0 plus an address. */
#include "alias.h"
#define ALIGN(p, a) ((char *)0 + (((p) - (char *)0 + (a)) & ~(a)))
int main(int argc, char **argv)
{
	char *block = malloc(128);
	char *p = ALIGN(block + argc, 15);
	MUSTALIAS(ALIGN(block + argc, 15), p);
	char *q = block + ((p - block) & ~15);
	*q = 1;
	MUSTALIAS(p - (p - block), block);
	return 0;
}

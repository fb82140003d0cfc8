/* Addresses rounded, tagged, and kept in integers. */
#include "alias.h"
struct tagged { uintptr_t bits; };
char buffer[64];
int x;
int main(int argc, char **argv)
{
	char *p = (char *)(((uintptr_t)(buffer + argc) + 15) & ~(uintptr_t)15);
	MUSTALIAS((char *)((uintptr_t)p & -16), p);
	*p = 1;
	struct tagged *t = malloc(sizeof *t);
	t->bits = (uintptr_t)&x | 1;
	MUSTALIAS((void *)(t->bits & ~(uintptr_t)1), &x);
	t->bits ^= 2;
	MUSTALIAS((void *)((t->bits ^ 2) - 1), &x);
	NOALIAS(p, &x);
	return 0;
}

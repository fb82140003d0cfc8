/* Pointers adjusted by a difference when their block moves. */
#include "alias.h"
struct buffer { char *base, *at; };
int main(int argc, char **argv)
{
	struct buffer b;
	b.base = malloc(8);
	b.at = b.base + argc;
	char *moved = malloc(64);
	b.at = moved + (b.at - b.base);
	b.base = moved;
	MUSTALIAS(b.at - argc, moved);
	*b.at = 1;
	NOALIAS(b.at, &b); NOALIAS(b.base, argv);
	uintptr_t distance = (uintptr_t)argv - (uintptr_t)&b;
	MUSTALIAS((void *)((uintptr_t)&b + distance), argv);
	return 0;
}

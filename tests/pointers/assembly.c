/* Pointers through assembly. */
#include "alias.h"
static int x, y;
static int *slot;
int main(void)
{
	int *p = &x, *q;
	__asm__("" : "+r"(p));
	MUSTALIAS(p, &x);
	__asm__("mov %1, %0" : "=r"(q) : "r"(&y));
	MUSTALIAS(q, &y);
	__asm__ volatile("mov %1, %0" : "=m"(slot) : "r"(p) : "memory");
	MUSTALIAS(slot, &x);
	__asm__ volatile("mov %1, %0" : "=r"(q) : "m"(slot));
	MUSTALIAS(q, &x);
	return 0;
}

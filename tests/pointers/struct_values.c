/* Structures passed and returned by value, in registers and in memory. */
#include "alias.h"
struct pair { int *a, *b; };
struct big { int *p[4]; long n; };
int x, y, z;
static struct pair make(int *a, int *b) { struct pair p = { a, b }; return p; }
static struct big widen(struct pair p) { struct big b = { { p.a, p.b, p.a, p.b }, 1 }; return b; }
static int *third(struct big b) { return b.p[2]; }
struct pair (*volatile maker)(int *, int *) = make;
int *(*volatile taker)(struct big) = third;
int main(void)
{
	struct pair p = make(&x, &y);
	MUSTALIAS(p.a, &x); MUSTALIAS(p.b, &y);
	struct big b = widen(p);
	MUSTALIAS(third(b), &x); MUSTALIAS(b.p[3], &y);
	MUSTALIAS(maker(&x, &y).b, &y);
	MUSTALIAS(taker(b), &x);
	NOALIAS(third(b), &z);
	return 0;
}

/* Fields of one structure are told apart. */
#include "alias.h"
struct s { int *a, *b; char pad; int *c; };
int x, y, z;
int main(void)
{
	struct s s, *p = &s;
	p->a = &x; p->b = &y; s.c = &z;
	MUSTALIAS(s.a, &x); MUSTALIAS(s.b, &y); MUSTALIAS(p->c, &z);
	NOALIAS(s.a, s.b); NOALIAS(s.b, p->c);
	return 0;
}

/* Block copies by name and by assignment. */
#include "alias.h"
struct s { long n; int *a, *b; };
int x, y;
int main(void)
{
	struct s s = { 1, &x, &y }, t, u, *v = malloc(sizeof *v);
	memcpy(&t, &s, sizeof t);
	memmove(v, &t, sizeof *v);
	u = *v;
	MUSTALIAS(t.a, &x); MUSTALIAS(v->b, &y); MUSTALIAS(u.a, &x);
	NOALIAS(u.a, u.b); NOALIAS(v->b, &x);
	return 0;
}

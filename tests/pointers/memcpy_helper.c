/* A block copied in a function that knows neither type nor size. */
#include "alias.h"
struct s { long n; int *a, *b; };
int x, y;
static void *copy(const void *p, size_t n)
{
	void *q = malloc(n);
	memcpy(q, p, n);
	return q;
}
int main(int argc, char **argv)
{
	struct s s = { argc, &x, &y };
	struct s *t = copy(&s, sizeof s);
	MUSTALIAS(t->a, &x); MUSTALIAS(t->b, &y);
	NOALIAS(t->b, &x);
	return 0;
}

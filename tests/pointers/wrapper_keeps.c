/* A wrapper that also keeps what it returns: the two ways to the block meet. */
#include "alias.h"
static void *all[16];
static int count;
static void *tracked(size_t n)
{
	void *p = malloc(n);
	all[count++] = p;
	return p;
}
static void *through(size_t n, void **also) { void *p = tracked(n); *also = p; return p; }
int main(int argc, char **argv)
{
	void *p = tracked(8), *q = tracked(8), *r;
	MUSTALIAS(all[0], p); MUSTALIAS(all[argc], q);
	NOALIAS(p, q);
	void *s = through(8, &r);
	MUSTALIAS(s, r); MUSTALIAS(all[2], s);
	return 0;
}

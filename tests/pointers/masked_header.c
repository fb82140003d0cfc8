/* A block finds the header of its page by masking its address. */
#include "alias.h"
struct page { struct page *next; int *owner; char *free; };
static int x, y;
static struct page *page(int *owner)
{
	struct page *p = aligned_alloc(4096, 4096);
	p->owner = owner;
	p->free = (char *)(p + 1);
	return p;
}
static void *carve(struct page *p, size_t n) { void *r = p->free; p->free += n; return r; }
static struct page *home(void *block) { return (struct page *)((uintptr_t)block & ~(uintptr_t)4095); }
int main(void)
{
	struct page *p = page(&x), *q = page(&y);
	void *a = carve(p, 32), *b = carve(q, 32);
	MUSTALIAS(home(a), p); MUSTALIAS(home(b), q);
	MUSTALIAS(home(a)->owner, &x); MUSTALIAS(home(b)->owner, &y);
	NOALIAS(a, &x);
	return 0;
}

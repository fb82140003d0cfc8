/* Distances between objects, kept instead of pointers: from where they are kept, and from elsewhere. */
#include "alias.h"
struct relative { ptrdiff_t distance; int *plain; };
static int x, y;
static struct relative first, second;
static void set(struct relative *r, void *p) { r->distance = (intptr_t)p - (intptr_t)r; }
static void *get(struct relative *r) { return (void *)((intptr_t)r + r->distance); }
struct list { long count; ptrdiff_t to; };
static void lead(struct list *l, void *p) { l->to = (char *)p - (char *)&l->to; }
static void *follow(struct list *l) { return (char *)&l->to + l->to; }
int main(int argc, char **argv)
{
	struct relative *heap = malloc(sizeof *heap);
	set(&first, &x); set(&second, &y); set(heap, &first);
	MUSTALIAS(get(&first), &x); MUSTALIAS(get(&second), &y); MUSTALIAS(get(heap), &first);
	MUSTALIAS(get(get(heap)), &x);
	NOALIAS(get(&first), &first);
	struct list *a = malloc(sizeof *a), b;
	lead(a, &x); lead(&b, a);
	MUSTALIAS(follow(a), &x); MUSTALIAS(follow(&b), a); MUSTALIAS(follow(follow(&b)), &x);
	NOALIAS(follow(a), a + 1);
	return 0;
}

/* Distances between objects, kept instead of pointers: the difference of two pointers is taken for a
 * number, unless it becomes a pointer again in the same function. */
#include "alias.h"
struct relative { ptrdiff_t distance; int *plain; };
static int x, y;
static struct relative first, second;
static void set(struct relative *r, void *p) { r->distance = (intptr_t)p - (intptr_t)r; }
static void *get(struct relative *r) { return (void *)((intptr_t)r + r->distance); }
int main(int argc, char **argv)
{
	struct relative *heap = malloc(sizeof *heap);
	set(&first, &x); set(&second, &y); set(heap, &first);
	EXPECTEDFAIL_MAYALIAS(get(&first), &x); EXPECTEDFAIL_MAYALIAS(get(&second), &y); EXPECTEDFAIL_MAYALIAS(get(heap), &first);
	EXPECTEDFAIL_MAYALIAS(get(get(heap)), &x);
	return 0;
}

/* A vector of elements of any size. */
#include "alias.h"
struct vector { char *data; size_t size, count, room; };
struct pair { int *a, *b; };
static int x, y;
static void push(struct vector *v, const void *element)
{
	if (v->count == v->room) {
		v->room = v->room ? 2 * v->room : 1;
		v->data = realloc(v->data, v->room * v->size);
	}
	memcpy(v->data + v->count++ * v->size, element, v->size);
}
static void *at(struct vector *v, size_t i) { return v->data + i * v->size; }
int main(int argc, char **argv)
{
	struct vector pairs = { NULL, sizeof(struct pair) }, pointers = { NULL, sizeof(int *) };
	struct pair p = { &x, &y };
	int *q = &y;
	push(&pairs, &p); push(&pairs, &p);
	push(&pointers, &q); push(&pointers, &q); push(&pointers, &q);
	struct pair *r = at(&pairs, argc);
	MUSTALIAS(r->a, &x); MUSTALIAS(r->b, &y);
	MUSTALIAS(*(int **)at(&pointers, argc), &y);
	NOALIAS(pairs.data, &x);
	NOALIAS(pairs.data, pointers.data);
	return 0;
}

/* A pointer that leads to one of several objects after the merge: read, written, freed.
 * merged: yes
 * errors: ptr */
#include <klee/klee.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b), *p = a, *q = 0;
	*a = (struct node){b, 1};
	*b = (struct node){0, 2};
	klee_open_merge();
	if (x & 1) {
		p = b;
		q = a;
	}
	klee_close_merge();
	p->value += 4;
	if (x & 2 && a->value == 5 && b->value == 2)
		return 1;
	if (x & 4)
		return p->next ? p->next->value + 10 : 20;
	if (x == 8)
		return q->value;
	free(p);
	if (x == 24)
		return 30 + a->value;
	return 2;
}

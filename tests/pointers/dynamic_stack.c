/* alloca, arrays of variable length, compound literals, frames linked by recursion. */
#include "alias.h"
#include <alloca.h>
struct frame { struct frame *up; int *value; };
static int x, y;
static int *deep(struct frame *up, int n)
{
	struct frame here = { up, n & 1 ? &x : &y };
	if (n) return deep(&here, n - 1);
	struct frame *f = &here;
	while (f->up) f = f->up;
	return f->value;
}
int main(int argc, char **argv)
{
	int *table[argc + 2];
	for (int i = 0; i < argc + 2; i++) table[i] = &x;
	MUSTALIAS(table[argc], &x);
	struct frame *list = NULL;
	for (int i = 0; i < 3; i++) {
		struct frame *f = alloca(sizeof *f);
		f->up = list; f->value = &y;
		list = f;
	}
	MUSTALIAS(list->up->up->value, &y);
	struct frame *literal = &(struct frame){ list, &x };
	MUSTALIAS(literal->up, list); MUSTALIAS(literal->value, &x);
	MUSTALIAS(deep(NULL, 3), &x);
	NOALIAS(table, list); NOALIAS(literal, list); NOALIAS(literal->value, &y);
	return 0;
}

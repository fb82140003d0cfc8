/* A table that grows. */
#include "alias.h"
struct table { int **all; size_t count, room; };
int x, y;
static void add(struct table *t, int *p)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 2;
		t->all = realloc(t->all, t->room * sizeof *t->all);
	}
	t->all[t->count++] = p;
}
int main(int argc, char **argv)
{
	struct table t = { NULL, 0, 0 };
	for (int i = 0; i < 5; i++) add(&t, &x);
	MUSTALIAS(t.all[argc], &x);
	MUSTALIAS(t.all[t.count - 1], &x);
	NOALIAS(t.all[0], &y);
	return 0;
}

/* Short functions that everybody calls do not join their callers. */
#include "alias.h"
struct list { struct list *next; void *data; };
static void *identity(void *p) { return p; }
static char *skip(char *p) { while (*p == ' ') p++; return p; }
static void set(struct list *l, void *data) { l->data = data; }
int x, y;
int main(int argc, char **argv)
{
	MUSTALIAS(identity(&x), &x);
	NOALIAS(identity(&x), identity(&y));
	char a[4] = "  a", b[4] = "  b";
	NOALIAS(skip(a), skip(b));
	MUSTALIAS(skip(a), a + 2);
	struct list *l = malloc(sizeof *l), *m = malloc(sizeof *m);
	set(l, &x); set(m, &y);
	MUSTALIAS(l->data, &x);
	NOALIAS(l->data, m->data);
	return 0;
}

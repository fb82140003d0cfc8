/* A tagged union of values, nested and copied. */
#include "alias.h"
struct value {
	enum { NUMBER, STRING, LIST, REFERENCE } kind;
	union { double number; struct { char *text; size_t length; } string; struct value *list[2]; int **reference; } u;
};
static int x, *px = &x;
static char text[] = "text";
static struct value string(char *t) { return (struct value){ STRING, { .string = { t, strlen(t) } } }; }
static struct value list(struct value *a, struct value *b) { return (struct value){ LIST, { .list = { a, b } } }; }
static struct value *boxed(struct value v) { struct value *p = malloc(sizeof *p); *p = v; return p; }
int main(void)
{
	struct value r = { REFERENCE, { .reference = &px } };
	struct value *l = boxed(list(boxed(string(text)), boxed(r)));
	struct value copy = *l;
	MUSTALIAS(copy.u.list[0]->u.string.text, text);
	MUSTALIAS(*copy.u.list[1]->u.reference, &x);
	copy.u.list[0] = copy.u.list[1];
	MUSTALIAS(*copy.u.list[0]->u.reference, px);
	NOALIAS(l, text); NOALIAS(*copy.u.list[1]->u.reference, text);
	return 0;
}

/* Fields found by offsets from a table, as option parsers and object systems do. */
#include "alias.h"
struct settings { char *name; int *count; long flag; struct settings *parent; };
struct field { const char *name; size_t offset; };
static const struct field fields[] = {
	{ "name", offsetof(struct settings, name) }, { "count", offsetof(struct settings, count) },
	{ "parent", offsetof(struct settings, parent) },
};
static int n;
static char text[4];
static void set(void *object, const char *name, void *value)
{
	for (size_t i = 0; i < 3; i++)
		if (!strcmp(fields[i].name, name)) *(void **)((char *)object + fields[i].offset) = value;
}
int main(void)
{
	struct settings a = { 0 }, *b = calloc(1, sizeof *b);
	set(&a, "name", text); set(&a, "count", &n); set(b, "parent", &a);
	MUSTALIAS(a.name, text); MUSTALIAS(a.count, &n); MUSTALIAS(b->parent, &a);
	MUSTALIAS(b->parent->count, &n);
	*(int **)((char *)b + 8) = &n;
	MUSTALIAS(b->count, &n);
	return 0;
}

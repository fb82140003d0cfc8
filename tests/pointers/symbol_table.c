/* A symbol table as in macro processors: chains, stacks of definitions, interned names. */
#include "alias.h"
struct symbol { struct symbol *chain, *shadowed; char *name; void (*expand)(struct symbol *); void *text; };
static struct symbol *buckets[7];
static void *expanded;
static unsigned hash(const char *s) { unsigned h = 0; while (*s) h = h * 31 + (unsigned char)*s++; return h; }
static void copy_text(struct symbol *s) { expanded = s->text; }
static struct symbol *lookup(const char *name, int push)
{
	struct symbol **at = &buckets[hash(name) % 7], *s;
	while ((s = *at) && strcmp(s->name, name)) at = &s->chain;
	if (!s || push) {
		struct symbol *fresh = malloc(sizeof *fresh);
		*fresh = (struct symbol){ s ? s->chain : NULL, s, strdup(name), copy_text, NULL };
		*at = s = fresh;
	}
	return s;
}
static void define(const char *name, const char *text, int push) { lookup(name, push)->text = strdup(text); }
int main(void)
{
	define("a", "1", 0); define("b", "2", 0);
	struct symbol *a = lookup("a", 0), *b = lookup("b", 0);
	define("a", "3", 1);
	struct symbol *top = lookup("a", 0);
	MUSTALIAS(top->shadowed, a); MUSTALIAS(lookup("b", 0), b);
	top->expand(top);
	MUSTALIAS(expanded, top->text);
	NOALIAS(a->name, a->text); NOALIAS(a, a->name); NOALIAS(buckets, top);
	return 0;
}

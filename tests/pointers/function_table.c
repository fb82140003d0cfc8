/* A constant table of functions, called through a pointer into it. */
#include "alias.h"
struct command { const char *name; int *(*run)(int *); };
int x, y;
static int *same(int *p) { return p; }
static int *other(int *p) { return &y; }
static int *unused(int *p) { return NULL; }
static const struct command commands[] = { { "same", same }, { "other", other } };
int main(int argc, char **argv)
{
	const struct command *c = commands;
	while (strcmp(c->name, "other")) c++;
	MUSTALIAS(c->run(&x), &y);
	NOALIAS(c->run(&x), c);
	MUSTALIAS(commands[argc - 1].run(&x), &x);
	int *(*volatile f)(int *) = unused;
	return f(NULL) != NULL;
}

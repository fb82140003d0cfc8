/* Initialisers of globals: tables in structures in tables, addresses inside of other globals. */
#include "alias.h"
struct option { const char *name; int *where; void (*act)(int *); };
struct group { int count; struct option options[2]; struct group *next; };
union either { long number; int *pointer; };
static int a, b, numbers[4];
static int *acted;
static void act(int *p) { acted = p; }
static struct group last = { 1, { { "z", &numbers[2], act } }, NULL };
static struct group groups[2] = {
	{ 2, { { "a", &a, act }, { "b", &b, act } }, &groups[1] },
	{ 1, { { "n", numbers + 1, act } }, &last },
};
static struct option *chosen = &groups[1].options[0];
static union either both[2] = { { .number = 1 }, { .pointer = &b } };
static int **deep[] = { &groups[0].options[1].where };
static uintptr_t address = (uintptr_t)&numbers[3];
int main(int argc, char **argv)
{
	static struct option *const pick[] = { &groups[0].options[0], &last.options[0] };
	MUSTALIAS(groups[0].options[argc].where, &b);
	MUSTALIAS(chosen->where, &numbers[1]);
	MUSTALIAS(groups->next->next->options[0].where, &numbers[2]);
	MUSTALIAS(both[argc].pointer, &b); MUSTALIAS(*deep[argc - 1], &b);
	MUSTALIAS((int *)address, &numbers[3]);
	pick[argc]->act(pick[argc]->where);
	MUSTALIAS(acted, &numbers[2]);
	NOALIAS(groups[0].options[0].where, groups[0].options[1].where);
	NOALIAS(chosen->where, &a);
	return 0;
}

/* A tree whose nodes keep their colour in the lowest bit of the parent. */
#include "alias.h"
struct node { uintptr_t parent; struct node *child[2]; };
struct record { int *value; struct node node; };
static int x, y;
static struct node *parent(struct node *n) { return (struct node *)(n->parent & ~(uintptr_t)1); }
static void link_in(struct node *n, struct node *up, int side)
{
	n->parent = (uintptr_t)up | 1;
	n->child[0] = n->child[1] = NULL;
	if (up) up->child[side] = n;
}
static struct record *record(struct node *n)
{
	return (struct record *)((char *)n - offsetof(struct record, node));
}
int main(int argc, char **argv)
{
	struct record *a = malloc(sizeof *a), *b = malloc(sizeof *b);
	a->value = &x; b->value = &y;
	link_in(&a->node, NULL, 0);
	link_in(&b->node, &a->node, argc);
	MUSTALIAS(parent(&b->node), &a->node);
	MUSTALIAS(record(parent(a->node.child[1])), a);
	MUSTALIAS(record(a->node.child[1])->value, &y);
	NOALIAS(a, &x); NOALIAS(b->node.child[0], a->value);
	return 0;
}

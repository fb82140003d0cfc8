/* Recursive allocation: trees. */
#include "alias.h"
struct tree { struct tree *left, *right; int *data; };
int x, y;
static struct tree *build(int depth)
{
	if (!depth) return NULL;
	struct tree *t = malloc(sizeof *t);
	t->left = build(depth - 1); t->right = build(depth - 1); t->data = &x;
	return t;
}
static struct tree *leftmost(struct tree *t) { return t->left ? leftmost(t->left) : t; }
int main(int argc, char **argv)
{
	struct tree *t = build(argc + 2);
	MUSTALIAS(leftmost(t)->data, &x);
	MUSTALIAS(t->right->left->data, &x);
	NOALIAS(t->data, &y);
	return 0;
}

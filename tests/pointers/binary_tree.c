/* A search tree: inserted through the address of a link, turned, taken apart. */
#include "alias.h"
struct tree { struct tree *left, *right; int key; void *data; };
static int x, y, z;
static struct tree *insert(struct tree **at, int key, void *data)
{
	while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	*at = calloc(1, sizeof **at);
	(*at)->key = key; (*at)->data = data;
	return *at;
}
static void turn(struct tree **at)
{
	struct tree *up = (*at)->right;
	(*at)->right = up->left; up->left = *at; *at = up;
}
static void *find(struct tree *t, int key)
{
	if (!t) return NULL;
	return t->key == key ? t->data : find(key < t->key ? t->left : t->right, key);
}
int main(void)
{
	struct tree *root = NULL, *other = NULL;
	struct tree *a = insert(&root, 1, &x), *b = insert(&root, 2, &y), *c = insert(&root, 3, &z);
	insert(&other, 1, &z);
	turn(&root);
	MUSTALIAS(root, b); MUSTALIAS(root->left, a); MUSTALIAS(root->right, c);
	MUSTALIAS(find(root, 3), &z); MUSTALIAS(find(root, 1), &x);
	NOALIAS(root, root->data); NOALIAS(a, &x);
	return 0;
}

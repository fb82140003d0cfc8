/* A balanced tree of symbolic keys, its invariants asserted.
 * exits: 0 */
#include <klee/klee.h>
#include <stdlib.h>
#include <assert.h>
struct node { int key, height; struct node *left, *right; };

static int height(struct node *n)
{
	return n ? n->height : 0;
}

static int max(int a, int b)
{
	return a > b ? a : b;
}

static void update(struct node *n)
{
	n->height = 1 + max(height(n->left), height(n->right));
}

static struct node *right(struct node *y)
{
	struct node *x = y->left;
	y->left = x->right;
	x->right = y;
	update(y);
	update(x);
	return x;
}

static struct node *left(struct node *x)
{
	struct node *y = x->right;
	x->right = y->left;
	y->left = x;
	update(x);
	update(y);
	return y;
}

static struct node *insert(struct node *n, int key)
{
	if (!n) {
		n = malloc(sizeof *n);
		n->key = key;
		n->height = 1;
		n->left = n->right = 0;
		return n;
	}
	if (key < n->key)
		n->left = insert(n->left, key);
	else if (key > n->key)
		n->right = insert(n->right, key);
	else
		return n;
	update(n);
	int b = height(n->left) - height(n->right);
	if (b > 1) {
		if (key > n->left->key)
			n->left = left(n->left);
		return right(n);
	}
	if (b < -1) {
		if (key < n->right->key)
			n->right = right(n->right);
		return left(n);
	}
	return n;
}

static int check(struct node *n, int *lo)
{
	if (!n)
		return 0;
	int l = check(n->left, lo);
	assert(n->key > *lo);
	*lo = n->key;
	int r = check(n->right, lo);
	assert(abs(l - r) <= 1);
	return 1 + max(l, r);
}

static void drop(struct node *n)
{
	if (n) {
		drop(n->left);
		drop(n->right);
		free(n);
	}
}

int main(void)
{
	int keys[4];
	klee_make_symbolic(keys, sizeof keys, "keys");
	struct node *root = 0;
	for (int i = 0; i < 4; i++) {
		klee_assume(keys[i] >= 0 & keys[i] < 100);
		root = insert(root, keys[i]);
	}
	int lo = -1;
	check(root, &lo);
	drop(root);
	return 0;
}

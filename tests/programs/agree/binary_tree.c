/* Insertion into and search in a binary tree.
 * inputs: 32 32 */
#include "../agree.h"

struct tree {
	int key;
	struct tree *left, *right;
};

static struct tree *insert(struct tree *t, int key)
{
	if (!t) {
		t = calloc(1, sizeof *t);
		t->key = key;
	} else if (key < t->key)
		t->left = insert(t->left, key);
	else if (key > t->key)
		t->right = insert(t->right, key);
	return t;
}

static int depth(const struct tree *t, int key)
{
	int d = 0;
	while (t && t->key != key) {
		t = key < t->key ? t->left : t->right;
		d++;
	}
	return t ? d : -1;
}

int main(void)
{
	struct tree *root = NULL;
	static const int keys[] = { 16, 8, 24, 4, 12 };
	for (int i = 0; i < 5; i++)
		root = insert(root, keys[i]);
	int new = klee_range(0, 32, "new"), sought = klee_range(0, 32, "sought");
	root = insert(root, new);
	printf("depth %d\n", depth(root, sought));
	return decide(new == sought);
}

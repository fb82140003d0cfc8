/* tsearch and its relatives keep what they are given in a tree of their own. */
#include "alias.h"
#include <search.h>
static int numbers[3];
static int *walked;
static int compare(const void *a, const void *b)
{
	return ((int *)a > (int *)b) - ((int *)a < (int *)b);
}
static void visit(const void *node, VISIT which, int depth) { walked = *(int **)node; }
int main(void)
{
	void *root = NULL;
	int **found = tsearch(&numbers[1], &root, compare);
	MUSTALIAS(*found, &numbers[1]);
	twalk(root, visit);
	MUSTALIAS(walked, &numbers[1]);
	found = tfind(&numbers[1], &root, compare);
	MUSTALIAS(*found, &numbers[1]);
	return 0;
}

/* The library's sorting and searching on symbolic numbers.
 * exits: 0 1 */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cmp(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

int main(void)
{
	int a[4];
	klee_make_symbolic(a, sizeof a, "a");
	qsort(a, 4, sizeof *a, cmp);
	for (int i = 1; i < 4; i++)
		klee_assert(a[i-1] <= a[i]);
	int key = klee_range(0, 10, "key");
	int *p = bsearch(&key, a, 4, sizeof *a, cmp);
	if (p)
		klee_assert(*p == key);
	return p ? 1 : 0;
}

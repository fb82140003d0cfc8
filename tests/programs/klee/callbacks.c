/* qsort and bsearch on symbolic elements with a comparison that is called back.
 * exits: 0 1 */
#include <klee/klee.h>
#include <assert.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	unsigned char x = *(const unsigned char *)a, y = *(const unsigned char *)b;
	return x < y ? -1 : x > y;
}

int main(void)
{
	unsigned char v[3], key;
	klee_make_symbolic(v, sizeof v, "v");
	klee_make_symbolic(&key, sizeof key, "key");
	qsort(v, 3, 1, compare);
	assert(v[0] <= v[1] && v[1] <= v[2]);
	unsigned char *at = bsearch(&key, v, 3, 1, compare);
	assert(!at || *at == key);
	return at != 0;
}

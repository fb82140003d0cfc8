/* realloc of null, to a smaller size, and through a wrapper, twice in one function.
 * inputs: 6 */
#include "../agree.h"

static void *resize(void *p, size_t n)
{
	void *q = realloc(p, n);
	if (!q)
		abort();
	return q;
}

int main(void)
{
	char *a = resize(NULL, 6), *b = realloc(NULL, 3);
	memcpy(a, "abcdef", 6);
	memcpy(b, "xyz", 3);
	int i = klee_range(0, 6, "i");
	char seen = a[i];
	a = realloc(a, 2);
	b = resize(b, 8);
	strcpy(b + 3, "tail");
	if (i < 2 && a[i] != seen)
		return 1;
	printf("%c%c%s\n", a[0], a[1], b);
	show("at i", b[i], 'a', 'z');
	return 0;
}

/* Blocks of pointers moved within and between arrays by parts. */
#include "alias.h"
static int a, b, c;
static void swap(void *p, void *q, size_t n)
{
	char *x = p, *y = q;
	while (n--) { char t = *x; *x++ = *y; *y++ = t; }
}
static void sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	char *at = base;
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j && compare(at + (j - 1) * size, at + j * size) > 0; j--)
			swap(at + (j - 1) * size, at + j * size, size);
}
struct entry { long key; int *value; };
static int order(const void *p, const void *q)
{
	return (int)(((const struct entry *)p)->key - ((const struct entry *)q)->key);
}
int main(int argc, char **argv)
{
	int *list[4] = { &a, &b, &c };
	memmove(list, list + 1, 2 * sizeof *list);
	MUSTALIAS(list[0], &b); MUSTALIAS(list[1], &c);
	int **copy = malloc(sizeof list);
	memcpy(copy + argc, list, 2 * sizeof *list);
	MUSTALIAS(copy[1], &b); MUSTALIAS(copy[2], &c);
	struct entry entries[3] = { { 3, &a }, { 2, &b }, { 1, &c } };
	sort(entries, 3, sizeof *entries, order);
	MUSTALIAS(entries[0].value, &c); MUSTALIAS(entries[2].value, &a);
	int *p = &a, *q = &b;
	swap(&p, &q, sizeof p);
	MUSTALIAS(p, &b); MUSTALIAS(q, &a);
	NOALIAS(list[0], copy);
	return 0;
}

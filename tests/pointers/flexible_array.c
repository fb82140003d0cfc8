/* A structure that ends in an array of unknown length. */
#include "alias.h"
struct row { struct row *next; size_t n; int *cells[]; };
int x, y;
int main(int argc, char **argv)
{
	size_t n = argc + 3;
	struct row *r = malloc(sizeof *r + n * sizeof *r->cells);
	r->next = r; r->n = n;
	for (size_t i = 0; i < n; i++) r->cells[i] = &x;
	MUSTALIAS(r->next->cells[argc], &x);
	MUSTALIAS(r->next, r);
	NOALIAS(r->cells[argc], &y);
	return 0;
}

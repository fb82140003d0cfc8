/* Initialised globals, also with addresses inside of other globals. */
#include "alias.h"
struct s { int *a; struct s *next; };
int x[4], y;
extern struct s second;
struct s first = { &x[2], &second };
struct s second = { &y, &first };
static struct s *const table[] = { &first, &second };
static int *inner = x + 1;
int main(int argc, char **argv)
{
	MUSTALIAS(first.a, &x[2]);
	MUSTALIAS(first.next->a, &y);
	MUSTALIAS(table[argc]->next->a, &x[2]);
	MUSTALIAS(inner + 1, first.a);
	NOALIAS(second.a, inner);
	return 0;
}

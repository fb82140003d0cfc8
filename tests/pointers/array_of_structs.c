/* A variable index keeps the fields of the elements apart. */
#include "alias.h"
struct s { int *a; long n; int *b; };
int x, y;
int main(int argc, char **argv)
{
	struct s *all = malloc(sizeof *all * (argc + 4));
	for (int i = 0; i < argc + 4; i++) { all[i].a = &x; all[i].b = &y; }
	struct s *p = &all[argc];
	MUSTALIAS(p->a, &x); MUSTALIAS(all[argc + 1].b, &y);
	NOALIAS(p->a, &y); NOALIAS(all[argc].b, p->a);
	return 0;
}

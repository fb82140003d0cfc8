/* What a block holds moves with it; the variable that was forgotten may still point to it. */
#include "alias.h"
struct s { int *a, *b; };
int x, y;
int main(int argc, char **argv)
{
	struct s *s = malloc(sizeof *s);
	s->a = &x; s->b = &y;
	s = realloc(s, sizeof *s * (argc + 1));
	MUSTALIAS(s->a, &x); MUSTALIAS(s[0].b, &y);
	NOALIAS(s->a, s->b);
	return 0;
}

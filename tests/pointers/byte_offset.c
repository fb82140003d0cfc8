/* A field addressed by its byte offset. */
#include "alias.h"
struct s { int *a, *b; };
int x, y;
int main(void)
{
	struct s *s = malloc(sizeof *s);
	s->a = &x;
	*(int **)((char *)s + 8) = &y;
	MUSTALIAS(s->b, &y); MUSTALIAS(s->a, &x);
	NOALIAS(s->a, &y); NOALIAS(s->b, &x);
	return 0;
}

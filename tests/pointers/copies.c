/* Assignments, conditional expressions and loops. */
#include "alias.h"
int a, b;
int main(int argc, char **argv)
{
	int *p = &a, *q = &b;
	int *r = argc > 5 ? p : q;
	MUSTALIAS(r, &b);
	for (int i = 0; i < argc; i++) { int *t = p; p = q; q = t; }
	MUSTALIAS(p, &b);
	NOALIAS(p, argv);
	return 0;
}

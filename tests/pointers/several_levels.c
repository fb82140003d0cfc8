/* Pointers to pointers to pointers, pointers to arrays, conditional and comma expressions. */
#include "alias.h"
static int a, b, matrix[3][4];
static int *pa = &a, *pb = &b;
static void redirect(int ***where, int **to) { *where = to; }
int main(int argc, char **argv)
{
	int **pp = &pa, ***ppp = &pp;
	MUSTALIAS(**ppp, &a);
	redirect(ppp, &pb);
	MUSTALIAS(**ppp, &b); MUSTALIAS(*pp, &b);
	**ppp = &a;
	MUSTALIAS(pb, &a);
	int (*row)[4] = matrix + argc;
	MUSTALIAS(&(*row)[2], &matrix[1][2]); MUSTALIAS(row[-1], matrix);
	int *q = argc > 5 ? &a : (argc++, &b);
	MUSTALIAS(q, &b);
	int *volatile v = q;
	int *restrict r = v;
	MUSTALIAS(r, &b);
	NOALIAS(row, &a); NOALIAS(pp, pa);
	return 0;
}

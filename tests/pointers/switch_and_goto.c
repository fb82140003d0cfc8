/* Phis with many edges, and labels kept in a table. */
#include "alias.h"
int a, b, c;
int main(int argc, char **argv)
{
	int *p;
	switch (argc) { case 1: p = &a; break; case 2: p = &b; break; default: p = &c; }
	MUSTALIAS(p, &a);
	int *q = NULL;
again:
	if (!q) { q = p; goto again; }
	MUSTALIAS(q, p);
	return 0;
}

/* Pointers at odd addresses. */
#include "alias.h"
struct __attribute__((packed)) packed { char tag; int *p; char more; int *q; };
static int x, y;
static char buffer[64];
int main(int argc, char **argv)
{
	struct packed s = { 1, &x, 2, &y }, *t = malloc(2 * sizeof *t);
	MUSTALIAS(s.p, &x); MUSTALIAS(s.q, &y);
	t[argc] = s;
	MUSTALIAS(t[1].p, &x); MUSTALIAS(t[1].q, &y);
	int *p = &x, *q = NULL;
	memcpy(buffer + 3, &p, sizeof p);
	memcpy(&q, buffer + 3, sizeof q);
	MUSTALIAS(q, &x);
	for (int i = 0; i < (int)sizeof p; i++) buffer[20 + argc + i] = ((char *)&p)[i];
	memmove(buffer + 1, buffer + 21, 8);
	memcpy(&q, buffer + 1, sizeof q);
	MUSTALIAS(q, &x);
	NOALIAS(q, &y);
	return 0;
}

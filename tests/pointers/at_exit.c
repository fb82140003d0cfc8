/* What functions registered with atexit find. */
#include "alias.h"
int x, y;
static int *kept;
static void (*next)(int *);
static void last(int *p) { MUSTALIAS(p, &x); NOALIAS(p, &y); }
static void finish(void) { MUSTALIAS(kept, &x); next(kept); }
int main(void)
{
	kept = &x;
	next = last;
	atexit(finish);
	return 0;
}

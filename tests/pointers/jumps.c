/* setjmp: what was stored before the jump is seen after it. */
#include "alias.h"
#include <setjmp.h>
static jmp_buf place;
static int *passed;
int x;
static void leave(int *p) { passed = p; longjmp(place, 1); }
int main(void)
{
	if (!setjmp(place)) leave(&x);
	MUSTALIAS(passed, &x);
	NOALIAS(passed, &place);
	return 0;
}

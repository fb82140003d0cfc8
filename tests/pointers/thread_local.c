/* Variables of threads. */
#include "alias.h"
static int x, y;
static _Thread_local int *current = &x;
_Thread_local struct { int *a, *b; } state;
static int **place(void) { return &current; }
int main(void)
{
	MUSTALIAS(current, &x);
	*place() = &y;
	MUSTALIAS(current, &y);
	state.a = &x; state.b = &y;
	MUSTALIAS(state.a, &x);
	NOALIAS(state.a, state.b);
	return 0;
}

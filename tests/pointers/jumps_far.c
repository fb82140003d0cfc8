/* Exceptions by setjmp: a stack of handlers, values that travel beside the jump. */
#include "alias.h"
#include <setjmp.h>
struct handler { jmp_buf place; struct handler *outer; int *thrown; };
static struct handler *top;
static int x, y;
static void throw(int *p) { top->thrown = p; longjmp(top->place, 1); }
static int *attempt(void (*f)(int *), int *p)
{
	struct handler h;
	int *volatile result = NULL;
	h.outer = top; top = &h;
	if (!setjmp(h.place)) f(p);
	else result = h.thrown;
	top = h.outer;
	return result;
}
static void nested(int *p) { throw(attempt(throw, p)); }
int main(void)
{
	MUSTALIAS(attempt(throw, &x), &x);
	MUSTALIAS(attempt(nested, &y), &y);
	NOALIAS(top, &x);
	return 0;
}

/* setjmp and longjmp out of nested calls, with a symbolic value.
 * inputs: 5 */
#include "../agree.h"
#include <setjmp.h>

static jmp_buf back;

static void descend(int n, int until)
{
	if (n == until)
		longjmp(back, n);
	descend(n + 1, until);
}

int main(void)
{
	int until = klee_range(0, 5, "until");
	volatile int tries = 0;
	int got = setjmp(back);
	tries = tries + 1;
	if (got == 0 && tries == 1)
		descend(0, until);
	show("got", got, 0, 5);
	return decide(tries);
}

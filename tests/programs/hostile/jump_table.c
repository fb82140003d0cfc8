/* A jump to any label, and through tables of them.
 * ends: fault ptr memory error: out of bound pointer */
#include <klee/klee.h>

int main(void)
{
	static void *const labels[] = {&&add, &&subtract, &&multiply, &&stop};
	unsigned char program[6];
	int value = 1;
	klee_make_symbolic(program, sizeof program, "program");
	unsigned char *pc = program;
	if (program[0] > 4)
		return 0;
	for (int i = 1; i < 6; i++)
		klee_assume(program[i] < 4);
	goto *labels[*pc++];
add:
	value += 1;
	goto *labels[*pc++];
subtract:
	value -= 1;
	goto *labels[*pc++];
multiply:
	value *= 2;
	if (pc == program + 6)
		return 1;
	goto *labels[*pc++];
stop:
	return value;
}

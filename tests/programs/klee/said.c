/* What a harness can have said.
 * exits: 0 1
 * replay: no
 * says: x::, range:, WARNING ONCE: main: once, in shout(, in main( */
#include <klee/klee.h>
#include <stdio.h>

static void shout(int x)
{
	klee_stack_trace();
	klee_warning("range follows");
	klee_print_range("range", x);
}

int main(void)
{
	int x = klee_range(3, 9, "x");
	if (!klee_is_symbolic(x))
		return 5;
	klee_print_expr("x:", x, x + 1);
	for (int i = 0; i < 3; i++)
		klee_warning_once("once");
	shout(x);
	long v = klee_get_valuel(x);
	if (v < 3 || v >= 9)
		return 6;
	if (klee_get_value_i32(5) != 5)
		return 7;
	if (x == 8)
		return 1;
	return 0;
}

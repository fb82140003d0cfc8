/* What the harness asks to see of values: in the language of .kquery files, as they stand.
 * says: word:(ReadLSB w32 0 x), sum:(Add w32 3 (ZExt w32 (Read w8 0 y))), known:7, byte:(ZExt w32 (Read w8 0 y)) ~= , (in [0, 255]), in inner(symbolic, 12) at
 * exits: 0
 * tests: 1 */
#include <klee/klee.h>

static int inner(int a, int b)
{
	klee_stack_trace();
	return a - b;
}

int main(void)
{
	unsigned char y;
	int x;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&y, sizeof y, "y");
	klee_print_expr("word", x);
	klee_print_expr("sum", y + 3);
	klee_print_expr("known", 7);
	klee_print_range("byte", y);
	return inner(x, 12) & 0;
}

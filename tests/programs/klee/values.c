/* Members of structures, single values of expressions, and what harnesses print.
 * exits: 0 1 2
 * errors: mine
 * tests: 7
 * says: x is:, range:, careful, WARNING ONCE: main: only once, in f(symbolic) */
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
struct point { short x, y; unsigned char tag[3]; double d; };

static int f(int x)
{
	klee_stack_trace();
	return x + 1;
}

int main(void)
{
	struct point p[2];
	klee_make_symbolic(p, sizeof p, "points");
	klee_assume(p[0].x > 10);
	klee_assume(p[0].x < 20);
	klee_assume(p[1].tag[1] != 0);
	long v = klee_get_valuel(p[0].x);
	int i = klee_get_value_i32(p[0].x);
	long long q = klee_get_value_i64(p[0].y);
	float g = klee_get_valuef(2.5f);
	double h = klee_get_valued(1.5);
	klee_assert(v > 10 && v < 20 && i > 10 && g == 2.5f && h == 1.5);
	(void)q;
	klee_print_expr("x is", p[0].x);
	klee_print_range("range", p[0].x);
	klee_warning("careful");
	for (int j = 0; j < 3; j++)
		klee_warning_once("only once");
	if (!klee_is_replay()) {
		klee_assert(klee_is_symbolic(p[0].x));
		klee_assert(!klee_is_symbolic(3));
		klee_assert(klee_get_obj_size(p) == sizeof p);
	}
	klee_check_memory_access(p, sizeof p);
	unsigned c = klee_choose(3);
	if (c == 2)
		klee_report_error(__FILE__, __LINE__, "third", "mine.err");
	int e = klee_get_errno();
	(void)e;
	char buf[3];
	klee_make_symbolic(buf, sizeof buf, "");
	if (c == 1 && buf[0] == 'x')
		klee_silent_exit(0);
	if (p[1].d > 3.5 && p[1].d < 3.75)
		return f(c);
	return 0;
}

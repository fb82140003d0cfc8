/* Questions and outputs of a harness.
 * exits: 0
 * says: b:, stack, n:
 * tests: 4
 * replay: no */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	int n;
	char *p = malloc(12);
	assert(klee_get_obj_size(p) == 12);
	assert(!klee_is_symbolic(3));
	klee_make_symbolic(&n, sizeof n, "n");
	assert(klee_is_symbolic(n));
	klee_assume(n >= 3 & n <= 5);
	int one = klee_get_value_i32(n);
	assert(one >= 3 && one <= 5);
	klee_print_range("n", n);
	klee_print_expr("b", n + 1);
	klee_warning("stack");
	klee_warning_once("once");
	klee_warning_once("once");
	klee_stack_trace();
	klee_check_memory_access(p, 12);
	klee_mark_global(p);
	assert(!klee_is_replay());
	assert(klee_range(4, 5, "one value") == 4);
	int r = klee_range(2, 4, "r");
	assert(r == 2 || r == 3);
	uintptr_t c = klee_choose(3);
	assert(c < 3);
	klee_open_merge();
	if (n == 4)
		p[0] = 1;
	klee_close_merge();
	free(p);
	return 0;
}

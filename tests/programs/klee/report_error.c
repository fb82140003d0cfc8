/* Errors that the program reports, with suffixes of its own; an exit without a test.
 * errors: mine abort
 * exits: 0 */
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	unsigned char c;
	klee_make_symbolic(&c, 1, "c");
	if (c == 1)
		klee_report_error(__FILE__, __LINE__, "my own error", "mine");
	if (c == 2)
		klee_silent_exit(0);
	if (c == 3)
		abort();
	return 0;
}

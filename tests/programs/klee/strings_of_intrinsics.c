/* Text that intrinsics are given: ends where its object ends, and must be somewhere.
 * says: main: str2, main: abcd, String not terminated by, renamed empty name to "unnamed", Invalid string pointer passed to, Symbolic string pointer passed to
 * exits: 0 1
 * errors: user
 * replay: no */
#include <klee/klee.h>

int main(void)
{
	char strings[] = "str1\0str2", bytes[] = {'a', 'b', 'c', 'd'};
	char *anywhere;
	unsigned char which, other;
	klee_make_symbolic(&which, sizeof which, "");
	klee_make_symbolic(&anywhere, sizeof anywhere, "anywhere");
	klee_warning(strings + 5);
	klee_warning(bytes);
	if (which == 1)
		klee_make_symbolic(&other, sizeof other, (char *)0xf);
	if (which == 2)
		klee_make_symbolic(&other, sizeof other, anywhere);
	if (which == 3)
		klee_make_symbolic(&other, sizeof other, which == 3 ? "a" : "b");
	if (which == 4)
		return 1;
	return 0;
}

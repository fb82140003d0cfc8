/* Preferences shape the test case and decide nothing.
 * tests: 3
 * exits: 0 1
 * ktest: text:Hello, n:7 */
#include "klee/klee.h"

int main()
{
	char text[6];
	int n;
	const char *wish = "Hello";
	klee_make_symbolic(text, sizeof text, "text");
	klee_make_symbolic(&n, sizeof n, "n");
	for (int i = 0; i < 6; i++)
		klee_prefer_cex(text, text[i] == wish[i]);
	klee_prefer_cex(&n, n == 7);
	if (text[5] == '\0' && n == 7)
		return 1;
	return 0;
}

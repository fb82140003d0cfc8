/* A number from text, of any base.
 * exits: 0 1 2 3 4 */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char s[5];
	klee_make_symbolic(s, sizeof s, "s");
	s[4] = 0;
	char *e;
	long n = strtol(s, &e, 0);
	if (e == s)
		return 1;
	if (*e)
		return 2;
	if (n == 0x2f)
		return 3;
	if (n < -50)
		return 4;
	return 0;
}

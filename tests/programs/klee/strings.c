/* Library functions on a symbolic string.
 * exits: 0 1 2 3 4 */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main()
{
	char s[5], copy[8];
	klee_make_symbolic(s, sizeof s, "s");
	s[4] = 0;
	if (strcmp(s, "abcd") == 0)
		return 1;
	if (strlen(s) == 2 && atoi(s) == 42)
		return 2;
	if (strchr(s, '%'))
		return 3;
	if (strstr(s, "xy"))
		return 4;
	snprintf(copy, sizeof copy, "%s!", s);
	printf("%s\n", copy);
	return 0;
}

/* Words between separators, copied and compared.
 * exits: 0 1 2 3 11 12 22 */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char s[6];
	klee_make_symbolic(s, sizeof s, "s");
	klee_assume(s[5] == 0);
	for (int i = 0; i < 5; i++)
		klee_prefer_cex(s, s[i] >= 32 & s[i] < 127);
	int n = 0;
	for (char *t = strtok(s, ",;"); t; t = strtok(0, ",;")) {
		n++;
		if (!strcmp(t, "go"))
			n += 10;
	}
	char *d = strdup(s);
	size_t l = strlen(d);
	free(d);
	return n + (l > 100);
}

/* Allocation inside the library: strdup, and comparison of its results.
 * inputs: 3 3 */
#include "../agree.h"

int main(void)
{
	const char *words[3] = { "one", "two", "three" };
	char *copies[3];
	for (int i = 0; i < 3; i++)
		copies[i] = strdup(words[i]);
	int i = klee_range(0, 3, "i"), j = klee_range(0, 3, "j");
	copies[i][0] = 'T';
	if (!strcmp(copies[j], "Two") || !strcmp(copies[j], "Three"))
		puts("capital");
	show("length", (long)strlen(copies[j]), 0, 5);
	free(copies[i]);
	return decide(i == j);
}

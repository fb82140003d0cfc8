/* Strings that input chooses between: constants, a variable, a local, and one of the heap. */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static char variable[] = "variable";

int main(void)
{
	char local[] = "local";
	char *heap = malloc(5);
	strcpy(heap, "heap");
	const char *const messages[] = {"one", "two", "three", variable, local, heap};
	int at = klee_range(0, 6, "at");
	int vowels = 0;
	for (const char *c = messages[at]; *c; c++)
		vowels += *c == 'e';
	return vowels > 1;
}

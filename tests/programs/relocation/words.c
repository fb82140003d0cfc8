/* Words that are read, and a pointer to the next one that goes on where a word is as expected: which one it
 * is, is a sum that nothing decides. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 4

static const char *expected[] = { "+", "-", "(", ")", "*", "/" };

int main(void)
{
	char *words[WORDS + 1];
	char text[WORDS][2];
	klee_make_symbolic(text, sizeof text, "text");
	for (int i = 0; i <= WORDS; i++) {
		words[i] = calloc(3, 1);
		if (i < WORDS)
			memcpy(words[i], text[i], 2);
	}
	char **next = words;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		next += strcmp(*next, expected[i]) == 0;
	printf("%d\n", (int)(next - words) & 1);
	return 0;
}

/* Words that are read one after the other, as expr does: the next one is taken if it is the one that is looked
 * for. Which word comes next is a sum of comparisons, each of which has been decided. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 3

static char **next;

static int is(const char *known)
{
	int same = strcmp(*next, known) == 0;
	next += same;
	return same;
}

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
	next = words;
	if (is("-"))
		puts("minus");
	if (is("("))
		puts("left");
	if (is("+") || is("*"))
		puts("operator");
	if (is(")"))
		puts("right");
	return 0;
}

/* Words that are read one after the other, by a pointer that goes on where a word is as expected: which one it is
 * at is a sum of comparisons. With -DDECIDED each of these has been decided on the path, as in expr; otherwise
 * nothing decides the sum. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 4

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
#ifdef DECIDED
	if (is("-"))
		puts("minus");
	if (is("("))
		puts("left");
	if (is("+") || is("*"))
		puts("operator");
	if (is(")"))
		puts("right");
#else
	static const char *expected[] = { "+", "-", "(", ")", "*", "/" };
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		is(expected[i]);
	printf("%d\n", (int)(next - words) & 1);
#endif
	return 0;
}

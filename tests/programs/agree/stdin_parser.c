/* A small expression parser over standard input.
 * stdin: 3
 * alphabet: 30 31 37 39 2b 2d 28 61 00 0a */
#include "../agree.h"

static int peeked = -2;

static int peek(void)
{
	if (peeked == -2)
		peeked = getchar();
	return peeked;
}

static int next(void)
{
	int c = peek();
	peeked = -2;
	return c;
}

int main(void)
{
	int sum = 0, sign = 1, terms = 0;
	for (;;) {
		int c = next();
		if (c < '0' || c > '9') {
			puts("digit expected");
			return 2;
		}
		sum += sign * (c - '0');
		terms++;
		c = next();
		if (c == '+')
			sign = 1;
		else if (c == '-')
			sign = -1;
		else if (c == EOF || c == '\n')
			break;
		else {
			puts("operator expected");
			return 3;
		}
	}
	printf("%d terms\n", terms);
	show("sum", sum, -9, 18);
	return 0;
}

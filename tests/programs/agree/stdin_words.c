/* Counts lines, words and bytes of standard input.
 * stdin: 3
 * alphabet: 00 09 0a 20 61 7a ff */
#include "../agree.h"
#include <ctype.h>

int main(void)
{
	int lines = 0, words = 0, bytes = 0, inside = 0, c;
	while ((c = getchar()) != EOF) {
		bytes++;
		lines += c == '\n';
		if (isspace(c))
			inside = 0;
		else if (!inside) {
			inside = 1;
			words++;
		}
	}
	show("lines", lines, 0, 3);
	show("words", words, 0, 3);
	return decide(bytes);
}

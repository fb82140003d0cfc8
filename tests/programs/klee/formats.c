/* Symbolic values printed and formatted.
 * exits: 0 1 2 */
#include <klee/klee.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	unsigned char n;
	char text[32], c;
	klee_make_symbolic(&n, sizeof n, "n");
	klee_make_symbolic(&c, sizeof c, "c");
	snprintf(text, sizeof text, "%02x", n);
	if (strcmp(text, "ff") == 0)
		return 1;
	if (isalpha((unsigned char)c) && toupper((unsigned char)c) == 'K') {
		printf("%c %s\n", c, text);
		return 2;
	}
	puts("other");
	return 0;
}

/* String functions on symbolic text.
 * stdin: 3
 * alphabet: 00 61 62 63 64 0a */
#include "../agree.h"

int main(void)
{
	char text[4] = { 0 };
	if (fread(text, 1, 3, stdin) != 3)
		return 9;
	if (!strcmp(text, "abc"))
		puts("equal");
	if (!strncmp(text, "ab", 2))
		puts("prefix");
	if (strchr(text, 'c'))
		puts("has c");
	if (strstr(text, "da"))
		puts("has da");
	return decide((int)strlen(text));
}

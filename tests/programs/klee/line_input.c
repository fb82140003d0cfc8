/* Lines of standard input: fgets, strtok, sscanf, strtol.
 * options: --sym-stdin 4
 * exits: 0 2 3 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char line[16];
	if (!fgets(line, sizeof line, stdin))
		return 1;
	char *word = strtok(line, " ,\n");
	if (!word)
		return 2;
	char *end;
	errno = 0;
	long n = strtol(word, &end, 10);
	if (end != word && !*end && n == 42)
		return 3;
	return 0;
}

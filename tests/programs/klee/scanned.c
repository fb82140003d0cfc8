/* Input by scanf.
 * options: --sym-stdin 3
 * exits: 0 1 2 */
#include <stdio.h>

int main(void)
{
	int a = 0;
	char c = 0;
	int got = scanf("%d%c", &a, &c);
	if (got < 1)
		return 1;
	if (got == 2 && a == 7 && c == 'x')
		return 2;
	return 0;
}

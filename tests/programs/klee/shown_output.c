/* What every path writes is shown, if that is asked for: of symbolic bytes values that fit together.
 * before: --all-output
 * options: --sym-stdin 2
 * says: small, large 97, on its way
 * exits: 0 3 */
#include <klee/klee.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int c = getchar();
	klee_assume(c < 10 | c == 'a');
	if (c == 'a') {
		printf("large %d\n", c);
		return 3;
	}
	write(2, "on its way\n", 11);
	puts("small");
	return 0;
}

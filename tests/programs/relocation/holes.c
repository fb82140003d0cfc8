/* A lookup in eight rows, of which the condition leaves out one. */
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	char *rows[8];
	for (int i = 0; i < 8; i++) {
		rows[i] = calloc(16, 1);
		rows[i][0] = i;
	}
	unsigned char at;
	klee_make_symbolic(&at, sizeof at, "at");
	klee_assume(at < 8);
	klee_assume(at != 3);
	return rows[at][0] == 5;
}

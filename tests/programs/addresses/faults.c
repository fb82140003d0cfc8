/* What is wrong with freed memory, told apart; one path for each way. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	int way = klee_range(0, 6, "way");
	char *p = malloc(16), *q = malloc(16), *table[2] = {p, q};
	strcpy(p, "freed");
	strcpy(q, "alive");
	free(p);
	switch (way) {
	case 0: /* use after free */
		puts(p);
		break;
	case 1: /* double free */
		free(p);
		break;
	case 2: /* out of bounds */
		q[16] = 1;
		break;
	case 3: { /* through a symbolic pointer */
		int which = klee_range(0, 2, "which");
		putchar(table[which][0]);
		break;
	}
	case 4: { /* freeing through one */
		int which = klee_range(0, 2, "which");
		free(table[which]);
		break;
	}
	case 5: /* freeing inside */
		free(q + 1);
		break;
	}
	return 0;
}

/* Two paths ask the same questions about the same objects, which come together on each of them. Nothing
 * that input has changed before is asked about, so that one path's answers are the other's. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int *rows[16];
	for (int i = 0; i < 16; i++) {
		rows[i] = malloc((4 + i % 3) * sizeof(int));
		for (int j = 0; j < 4; j++)
			rows[i][j] = i * 37 + j * 11;
	}
#ifdef SIDES
	int side = klee_range(0, SIDES, "side");
	for (int k = 1; k < SIDES; k++)
		if (side == k) {
			/* On this path some of them come together before the others do. */
			putchar(rows[klee_range(k, k + 2, "early")][1] > 0 ? 'y' : 'n');
			break;
		}
#endif
	unsigned a, b;
	klee_make_symbolic(&a, sizeof a, "a");
	klee_make_symbolic(&b, sizeof b, "b");
	unsigned mixed = a * 2654435761u >> 28;
	b = (b ^ b >> 7 ^ a >> 3) % 4;
	if (rows[mixed][b] == 207)
		putchar('f');
	if (rows[mixed][b] * 3 == 624)
		putchar('t');
	return 0;
}

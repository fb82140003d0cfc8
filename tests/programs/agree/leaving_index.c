/* An index that may leave all objects that the pointer can lead to, on both sides.
 * inputs: 2 8
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char *rows[2];
	for (int i = 0; i < 2; i++) {
		rows[i] = malloc(4);
		memset(rows[i], 'a' + i, 4);
	}
	int i = klee_range(0, 2, "i"), j = klee_range(0, 8, "j");
	show("seen", rows[i][j - 2], 32, 127);
	rows[i][j - 2] = '!';
	show("other", rows[1 - i][0], 32, 127);
	return 0;
}

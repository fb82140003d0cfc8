/* What is done with addresses before a symbolic pointer leads to several objects still holds
 * afterwards: order, difference, truncation, casts and text of the addresses.
 * inputs: 3 4 */
#include "../agree.h"

int main(void)
{
	int *rows[3];
	for (int i = 0; i < 3; i++) {
		rows[i] = calloc(4, sizeof(int));
		rows[i][i] = 7;
	}
	int *other = malloc(sizeof(int));
	*other = 1;
	int below = rows[0] < other, apart = (int)((char *)rows[2] - (char *)rows[1]);
	unsigned low = (unsigned)(uintptr_t)rows[1] >> 4;
	uintptr_t number = (uintptr_t)rows[2], mixed = number * 31 + low;
	char before[40], after[40];
	snprintf(before, sizeof before, "%p %p", (void *)rows[0], (void *)rows[2]);

	int i = klee_range(0, 3, "i"), j = klee_range(0, 4, "j");
	show("seen", rows[i][j], 0, 7);
	rows[i][j] += 2;

	snprintf(after, sizeof after, "%p %p", (void *)rows[0], (void *)rows[2]);
	assert(below == (rows[0] < other));
	assert(apart == (int)((char *)rows[2] - (char *)rows[1]));
	assert(low == (unsigned)(uintptr_t)rows[1] >> 4);
	assert(number == (uintptr_t)rows[2] && mixed == (uintptr_t)rows[2] * 31 + low);
	assert(strcmp(before, after) == 0);
	assert(*(int *)number == rows[2][0] && *other == 1);
	assert(rows[0] + 4 != rows[1] || (char *)rows[0] + 16 == (char *)rows[1]);
	return decide(rows[i][j]);
}

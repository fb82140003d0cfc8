/* An array of structures with fields of different widths, read and written at a symbolic index.
 * inputs: 4 4 */
#include "../agree.h"

struct record {
	char tag;
	short count;
	long sum;
	unsigned char bytes[3];
};

int main(void)
{
	struct record *records = calloc(4, sizeof *records);
	for (int i = 0; i < 4; i++)
		records[i] = (struct record){ (char)('a' + i), (short)(10 * i), 1000L * i, { 1, 2, 3 } };
	int i = klee_range(0, 4, "i"), j = klee_range(0, 4, "j");
	records[i].count++;
	records[i].sum -= 1;
	records[j].bytes[1] = 9;
	putchar(records[2].tag);
	show("count", records[j].count, 0, 40);
	show("sum of 1", records[1].sum, 990, 1001);
	return decide(records[i].bytes[1]);
}

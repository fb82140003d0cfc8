/* A table whose elements come from two places of allocation and from a helper.
 * inputs: 7 3 */
#include "../agree.h"

struct item {
	int kind;
	int values[3];
};

static struct item *fresh(int kind)
{
	struct item *item = calloc(1, sizeof *item);
	item->kind = kind;
	return item;
}

int main(void)
{
	struct item *table[7];
	for (int i = 0; i < 7; i++) {
		if (i % 3 == 0) {
			table[i] = malloc(sizeof **table);
			table[i]->kind = 10;
		} else if (i % 3 == 1) {
			table[i] = malloc(sizeof **table);
			table[i]->kind = 20;
		} else {
			table[i] = fresh(i < 5 ? 30 : 40);
		}
		for (int j = 0; j < 3; j++)
			table[i]->values[j] = i * j;
	}
	int i = klee_range(0, 7, "i"), j = klee_range(0, 3, "j");
	table[i]->values[j] += 100;
	show("kind", table[i]->kind, 10, 40);
	show("value", table[i]->values[j] - i * j, 99, 101);
	show("seen", table[2]->values[2], 4, 104);
	return 0;
}

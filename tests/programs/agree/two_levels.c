/* What hangs off the elements of a table, each in an object of its own: behind the first lookup
 * the second is as undecided as the first.
 * inputs: 4 3 */
#include "../agree.h"

struct item {
	int kind;
	char *text;
};

int main(void)
{
	struct item *table[4];
	for (int i = 0; i < 4; i++) {
		table[i] = malloc(sizeof **table);
		table[i]->kind = i / 2;
		table[i]->text = malloc(3);
		for (int j = 0; j < 3; j++)
			table[i]->text[j] = (char)(10 * table[i]->kind + j);
	}
	int i = klee_range(0, 4, "i"), j = klee_range(0, 3, "j");
	table[i]->text[j] += 5;
	show("text", table[i]->text[2], 2, 17);
	show("first", table[0]->text[0], 0, 5);
	return 0;
}

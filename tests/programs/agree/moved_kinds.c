/* A table of objects of every kind: heap, a variable, a local, a constant, and what is dead.
 * inputs: 5 4 3
 * faults: yes */
#include "../agree.h"

static char variable[4] = "abcd";
static const char constant[4] = "efgh";

static char read_all(char *const table[5], int at, int j)
{
	return table[at][j];
}

/* Its local has come together with the others when it returns. */
static int with_local(char *table[5], int at, int j)
{
	char local[4] = "ijkl";
	table[2] = local;
	int seen = read_all(table, at, j);
	table[2] = table[0];
	return seen + (local[0] == 'i');
}

int main(void)
{
	char *table[5];
	int at = klee_range(0, 5, "at"), j = klee_range(0, 4, "j"), what = klee_range(0, 3, "what");
	table[0] = malloc(4);
	memcpy(table[0], "mnop", 4);
	table[1] = variable;
	table[3] = (char *)constant;
	table[4] = malloc(8);
	memcpy(table[4], "qrstuvwx", 8);
	show("first", with_local(table, at, j), 0, 130);
	show("second", with_local(table, at, j), 0, 130);
	if (what == 1)
		free(table[4]);
	/* Wrong for the constant. */
	if (what == 2)
		table[at][j] = '!';
	/* Wrong for what is freed. */
	show("third", read_all(table, at, j), 32, 127);
	show("variable", variable[1], 32, 127);
	return 0;
}

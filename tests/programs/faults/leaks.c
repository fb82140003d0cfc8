/* Blocks that nothing refers to at the end.
 * options: --check-leaks
 * native: leaks */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; char text[8]; };
static struct node *list;
static void *table[2];

static void push(void)
{
	struct node *node = malloc(sizeof *node); //~ leak: memory error: memory leak detected | leaked: 16 bytes
	node->next = list;
	list = node;
}

static void lose(void)
{
	char *volatile block = malloc(24); //~ leak: memory error: memory leak detected | leaked: 24 bytes, allocated at lose() at
	block[0] = 1;
	block = 0;
}

static void lose_list(void)
{
	push();
	push();
	list = 0;
}

int main(void)
{
	int way = klee_range(0, 6, "way");
	if (way == 0)
		lose();
	if (way == 1) {
		push();
		push();
	}
	if (way == 2)
		table[1] = malloc(10);
	if (way == 3)
		free(malloc(10));
	if (way == 4) {
		lose();
		exit(0);
	}
	if (way == 5)
		lose_list();
	return 0;
}

/* Loops over memory: lists, the heap with its quarantine, strings, tables of bytes.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 1 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;

struct node { struct node *next; int value; };

static struct node *list(int length)
{
	struct node *first = 0;
	for (int i = 0; i < length; i++) {
		struct node *node = malloc(sizeof *node);
		node->next = first;
		node->value = i;
		first = node;
	}
	return first;
}

/* A list that leads into itself. */
static void cycle(void)
{
	struct node *first = list(10), *last = first;
	while (last->next)
		last = last->next;
	last->next = first->next->next;
	for (struct node *at = first; at; at = at->next) //~ loop: infinite loop
		sink = at->value;
}

/* A sum over a chain of indices that leads into itself. */
static void chase(void)
{
	unsigned char next[64];
	for (int i = 0; i < 64; i++)
		next[i] = (i * 5 + 3) % 64;
	unsigned char at = 1;
	while (at != 64) //~ loop: infinite loop
		at = next[at];
}

/* Allocates and frees: the addresses come back behind the quarantine. */
static void heap(void)
{
	for (;;) {
		char *block = malloc(24); //~ loop: infinite loop
		if (!block)
			break;
		block[0] = 1;
		free(block);
	}
}

/* The same with blocks of several sizes that live at the same time, and one that is kept over a turn. */
static void heap_of_sizes(void)
{
	char *kept = malloc(10);
	for (;;) {
		char *one = malloc(16), *two = malloc(100); //~ loop: infinite loop
		if (!one || !two)
			break;
		strcpy(two, "text");
		free(kept);
		kept = malloc(10);
		free(one);
		free(two);
	}
}

/* A list is built and torn down. */
static void lists(void)
{
	for (;;) {
		struct node *first = list(5); //~ loop: infinite loop
		if (!first)
			break;
		while (first) {
			struct node *next = first->next;
			free(first);
			first = next;
		}
	}
}

/* A block that grows and shrinks. */
static void grows(void)
{
	char *block = malloc(8);
	for (int size = 8;; size = size == 8 ? 200 : 8) {
		block = realloc(block, size); //~ loop: infinite loop
		if (!block)
			break;
		block[size - 1] = 1;
	}
}

/* A search that starts again where it has ended: an empty match (as in GNU ptx and sed). */
static void empty_match(const char *text)
{
	const char *at = text;
	while (*at) { //~ loop: infinite loop
		const char *end = strchr(at, 'x');
		at = end ? end : at;
	}
}

/* A buffer is turned round and back. */
static void reversal(void)
{
	char text[300];
	for (int i = 0; i < 300; i++)
		text[i] = i;
	do {
		for (int i = 0; i < 150; i++) { //~ loop: infinite loop
			char other = text[i];
			text[i] = text[299 - i];
			text[299 - i] = other;
		}
	} while (text[0] + text[299] != 1);
}

/* Near misses. */

static void long_list(void)
{
	struct node *first = list(3000);
	for (int turn = 0; turn < 20; turn++)
		for (struct node *at = first; at; at = at->next)
			sink = at->value;
}

/* Waits for an address to come again, which it does when the quarantine is over. */
static void same_address(void)
{
	char *first = malloc(24), *next;
	free(first);
	for (int turn = 0;; turn = (turn + 1) % 3) {
		next = malloc(24);
		int same = next == first;
		free(next);
		if (same)
			break;
	}
}

/* Allocates until there is none: each turn has one block more. (Bounded here.) */
static void grows_for_ever(void)
{
	struct node *first = 0;
	for (int i = 0; i < 5000; i++) {
		struct node *node = malloc(sizeof *node);
		node->next = first;
		node->value = 0;
		first = node;
	}
}

/* A counter in memory, of as many bytes as a number has digits. */
static void digits(void)
{
	char number[8];
	memset(number, '0', 8);
	while (number[3] != '3') {
		int at = 7;
		while (number[at] == '9')
			number[at--] = '0';
		number[at]++;
	}
}

/* A bit far away in a large table changes from turn to turn. */
static void far_away(void)
{
	static char table[100000];
	for (int turn = 0; turn < 400; turn++) {
		table[turn * 200] = 1;
		for (int i = 0; i < 100; i++)
			sink = table[i];
	}
}

/* A shuffle of a table that comes to its order at last. */
static void permutation(void)
{
	unsigned char table[11];
	int turns = 0;
	for (int i = 0; i < 11; i++)
		table[i] = i;
	do {
		unsigned char first = table[0];
		memmove(table, table + 1, 4), table[4] = first;
		first = table[5];
		memmove(table + 5, table + 6, 5), table[10] = first;
		turns++;
	} while (turns < 7000);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	switch (argv[1][0]) {
	case 'a': cycle(); break;
	case 'b': chase(); break;
	case 'c': heap(); break;
	case 'd': heap_of_sizes(); break;
	case 'e': lists(); break;
	case 'f': grows(); break;
	case 'g': empty_match("some text"); break;
	case 'h': reversal(); break;
	case 'A': long_list(); break;
	case 'B': same_address(); break;
	case 'C': grows_for_ever(); break;
	case 'D': digits(); break;
	case 'E': far_away(); break;
	case 'F': permutation(); break;
	case 'G': empty_match(""); break;
	}
	return 0;
}

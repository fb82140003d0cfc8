/* Strings are interned: what was read is stored in the table of all names, and looked up again.
 * inputs: 255 */
#include "../agree.h"

#define BUCKETS 64
#define WORDS 120

struct node {
	struct node *next;
	unsigned hash;
	unsigned char opcode, length;
	char text[6];
};

static struct node *table[BUCKETS];

static unsigned hash(const char *text, unsigned length)
{
	unsigned h = 0x9e3779b9u ^ length;
	for (unsigned at = length; at > 0; at--)
		h ^= (h << 5) + (h >> 2) + (unsigned char)text[at - 1];
	return h;
}

static struct node *intern(const char *text, unsigned length, unsigned char opcode)
{
	unsigned h = hash(text, length);
	struct node **bucket = &table[h % BUCKETS];
	for (struct node *n = *bucket; n; n = n->next)
		if (n->hash == h && n->length == length && memcmp(n->text, text, length) == 0)
			return n;
	struct node *n = malloc(sizeof *n);
	n->next = *bucket;
	n->hash = h;
	n->opcode = opcode;
	n->length = (unsigned char)length;
	memcpy(n->text, text, length);
	n->text[length] = 0;
	*bucket = n;
	return n;
}

int main(void)
{
	char text[6];
	for (int at = 0; at < WORDS; at++) {
		int length = snprintf(text, sizeof text, at % 3 ? "%c" : "w%d", at % 3 ? 32 + at % 90 : at);
		intern(text, (unsigned)length, (unsigned char)(at % 5));
	}
	text[0] = (char)klee_range(0, 255, "c");
	struct node *read = intern(text, 1, 7);
	struct node *again = intern(text, 1, 8);
	struct node *quit = intern("q", 1, 9);
	assert(read == again);
	if (read == quit)
		puts("quit");
	/* The table is used by name once more, after it has changed. */
	struct node *other = intern("z", 1, 6);
	show("opcode", read->opcode, 0, 9);
	show("other", other->opcode, 0, 9);
	return read == other;
}

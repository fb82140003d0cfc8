/* Two characters, each interned alone and both as one string; then counted through their nodes.
 * inputs: 20 12 */
#include "../agree.h"

#define BUCKETS 16

struct node {
	struct node *next;
	unsigned char count, length;
	char text[4];
};

static struct node *table[BUCKETS];

static struct node *intern(const char *text, unsigned char length)
{
	unsigned h = length;
	for (int at = 0; at < length; at++)
		h = h * 31 + (unsigned char)text[at];
	struct node **bucket = &table[(h ^ h >> 4) % BUCKETS];
	for (struct node *n = *bucket; n; n = n->next)
		if (n->length == length && memcmp(n->text, text, length) == 0)
			return n;
	struct node *n = calloc(1, sizeof *n);
	n->next = *bucket;
	n->length = length;
	memcpy(n->text, text, length);
	*bucket = n;
	return n;
}

int main(void)
{
	static const char *words[] = { "a", "b", "c", "d", "h", "i", "aa", "ab", "ba", "gh", "hg", "ij" };
	for (unsigned at = 0; at < sizeof words / sizeof *words; at++)
		intern(words[at], (unsigned char)strlen(words[at]))->count = 1;
	char text[3] = { (char)('a' + klee_range(0, 20, "first")), (char)('a' + klee_range(0, 12, "second")) };
	intern(text, 2)->count += 2;
	intern(text, 1)->count += 4;
	intern(text + 1, 1)->count += 8;
	show("both", intern(text, 2)->count, 0, 15);
	show("first", intern(text, 1)->count, 0, 15);
	show("a", intern("a", 1)->count, 0, 15);
	return intern(text, 1) == intern(text + 1, 1);
}

/* A chained hash table, looked up with a symbolic key.
 * inputs: 64 */
#include "../agree.h"

struct entry {
	unsigned key;
	const char *name;
	struct entry *next;
};

static struct entry *buckets[8];

static void insert(unsigned key, const char *name)
{
	struct entry *e = malloc(sizeof *e);
	*e = (struct entry){ key, name, buckets[key * 5 % 8] };
	buckets[key * 5 % 8] = e;
}

int main(void)
{
	insert(3, "three");
	insert(11, "eleven");
	insert(19, "nineteen");
	insert(42, "forty-two");
	insert(63, "sixty-three");
	unsigned key = (unsigned)klee_range(0, 64, "key");
	for (struct entry *e = buckets[key * 5 % 8]; e; e = e->next)
		if (e->key == key) {
			puts(e->name);
			return 0;
		}
	puts("none");
	return 1;
}

/* A growing hash table, a binary heap and a matrix product. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { char *key; int count; struct entry *next; };
static struct entry **table;
static size_t buckets = 4, used;

static size_t hash(const char *s)
{
	size_t h = 5381;
	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

static void grow(void)
{
	struct entry **bigger = calloc(buckets * 2, sizeof *bigger);
	for (size_t i = 0; i < buckets; i++)
		for (struct entry *e = table[i], *next; e; e = next) {
			next = e->next;
			size_t at = hash(e->key) % (buckets * 2);
			e->next = bigger[at];
			bigger[at] = e;
		}
	free(table);
	table = bigger;
	buckets *= 2;
}

static int *count_of(const char *key)
{
	for (struct entry *e = table[hash(key) % buckets]; e; e = e->next)
		if (!strcmp(e->key, key))
			return &e->count;
	if (++used > buckets)
		grow();
	struct entry *e = malloc(sizeof *e);
	size_t at = hash(key) % buckets;
	*e = (struct entry){ strdup(key), 0, table[at] };
	table[at] = e;
	return &e->count;
}

static void heap_sort(int *a, int n)
{
	for (int end = n, start = n / 2; end > 1;) {
		if (start > 0)
			start--;
		else {
			int t = a[--end];
			a[end] = a[0];
			a[0] = t;
		}
		for (int root = start, child; (child = 2 * root + 1) < end; root = child) {
			if (child + 1 < end && a[child] < a[child + 1])
				child++;
			if (a[root] >= a[child])
				break;
			int t = a[root];
			a[root] = a[child];
			a[child] = t;
		}
	}
}

int main(void)
{
	table = calloc(buckets, sizeof *table);
	char key[16];
	for (int i = 0; i < 500; i++) {
		snprintf(key, sizeof key, "k%d", i * i % 97);
		++*count_of(key);
	}
	printf("%zu keys, %zu buckets, k4 %d times\n", used, buckets, *count_of("k4"));
	int numbers[64];
	for (int i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	heap_sort(numbers, 64);
	for (int i = 0; i < 64; i += 9)
		printf("%d ", numbers[i]);
	double a[8][8], b[8][8], trace = 0;
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++) {
			a[i][j] = i + j / 8.0;
			b[i][j] = i == j;
		}
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 8; k++)
			trace += a[i][k] * b[k][i];
	printf("%.3f\n", trace);
	return 0;
}

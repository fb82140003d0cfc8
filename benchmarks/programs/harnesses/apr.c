/* Counts the words of standard input in an APR hash table; a word that starts
 * with '-' is deleted. Prints the table, sorted, and what two arguments count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apr_general.h"
#include "apr_hash.h"
#include "apr_pools.h"
#include "apr_strings.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(int argc, char **argv)
{
	static char text[1 << 16];
	apr_pool_t *pool;
	if (apr_initialize() != APR_SUCCESS || apr_pool_create(&pool, NULL) != APR_SUCCESS)
		return 2;
	apr_hash_t *words = apr_hash_make(pool);
	text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
	char *rest = NULL;
	for (char *word = apr_strtok(text, " \t\n", &rest); word; word = apr_strtok(NULL, " \t\n", &rest)) {
		if (word[0] == '-') {
			apr_hash_set(words, word + 1, APR_HASH_KEY_STRING, NULL);
			continue;
		}
		int *count = apr_hash_get(words, word, APR_HASH_KEY_STRING);
		if (!count) {
			count = apr_pcalloc(pool, sizeof *count);
			apr_hash_set(words, apr_pstrdup(pool, word), APR_HASH_KEY_STRING, count);
		}
		++*count;
	}
	unsigned int number = apr_hash_count(words), filled = 0;
	const char **names = apr_palloc(pool, (number + 1) * sizeof *names);
	for (apr_hash_index_t *i = apr_hash_first(pool, words); i; i = apr_hash_next(i))
		names[filled++] = apr_hash_this_key(i);
	qsort(names, filled, sizeof *names, by_name);
	for (unsigned int i = 0; i < filled; i++)
		printf("%s %d\n", names[i], *(int *)apr_hash_get(words, names[i], APR_HASH_KEY_STRING));
	for (int i = 1; i < argc; i++) {
		int *count = apr_hash_get(words, argv[i], APR_HASH_KEY_STRING);
		printf("%s: %d\n", argv[i], count ? *count : 0);
	}
	apr_pool_destroy(pool);
	apr_terminate();
	return number != filled;
}

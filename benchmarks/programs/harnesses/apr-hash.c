/* Figure 10 of the segmented memory model: keys of four bytes in a hash table of APR, and two lookups whose
 * keys are read from standard input. */
#include <stdio.h>
#include <stdlib.h>
#include "apr_general.h"
#include "apr_hash.h"
#include "apr_pools.h"

enum { KEYS = 15 };

int main(void)
{
	apr_pool_t *pool;
	int wanted[2] = { 0, 0 };
	if (apr_initialize() != APR_SUCCESS || apr_pool_create(&pool, NULL) != APR_SUCCESS)
		return 2;
	apr_hash_t *table = apr_hash_make(pool);
	for (int i = 0; i < KEYS; i++) {
		int *key = malloc(sizeof *key);
		if (!key)
			return 2;
		*key = i;
		apr_hash_set(table, key, sizeof *key, "a value");
	}
	size_t read = fread(wanted, sizeof *wanted, 2, stdin);
	for (size_t i = 0; i < read; i++)
		puts(apr_hash_get(table, &wanted[i], sizeof wanted[i]) ? "found" : "not there");
	return 0;
}

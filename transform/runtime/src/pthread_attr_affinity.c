/* The processors of a thread that is to be made: kept and told. There is one processor. What an attribute
 * has of them is in a copy, as programs may make sets of any size. */
#include <stdlib.h>
#include <string.h>
#include "pthread_impl.h"

/* The words that musl has no use for. */
#define SET(attribute) (*(void **)&(attribute)->__u.__s[5])
#define SIZE(attribute) ((attribute)->__u.__s[6])

int pthread_attr_destroy(pthread_attr_t *attribute)
{
	free(SET(attribute));
	SET(attribute) = 0;
	return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attribute, size_t size, const void *set)
{
	void *copy = 0;
	if (set && size) {
		copy = malloc(size);
		if (!copy) return ENOMEM;
		memcpy(copy, set, size);
	}
	free(SET(attribute));
	SET(attribute) = copy;
	SIZE(attribute) = copy ? size : 0;
	return 0;
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attribute, size_t size, void *set)
{
	const char *kept = SET(attribute);
	size_t known = SIZE(attribute);
	if (!kept) {
		memset(set, -1, size);
		return 0;
	}
	for (size_t at = size; at < known; at++)
		if (kept[at]) return EINVAL;
	memset(set, 0, size);
	memcpy(set, kept, known < size ? known : size);
	return 0;
}

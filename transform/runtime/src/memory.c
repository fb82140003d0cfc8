/* memcpy, memmove and memset as byte loops that never look at an address's
 * low bits. The executor has its own fast versions; these are the definition. */
#include <string.h>

void *memcpy(void *restrict dest, const void *restrict src, size_t n)
{
	unsigned char *d = dest;
	const unsigned char *s = src;
	for (; n; n--) *d++ = *s++;
	return dest;
}

void *memmove(void *dest, const void *src, size_t n)
{
	unsigned char *d = dest;
	const unsigned char *s = src;
	if (d == s) return d;
	if (d < s)
		for (; n; n--) *d++ = *s++;
	else
		while (n) n--, d[n] = s[n];
	return dest;
}

void *memset(void *dest, int c, size_t n)
{
	unsigned char *d = dest;
	for (; n; n--) *d++ = c;
	return dest;
}

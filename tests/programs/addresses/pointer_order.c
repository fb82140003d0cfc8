/* KDAlloc paper, listing 2: memmove of uClibc takes another way when the source lies behind the
 * destination, whatever their objects. Prints the way for pairs of blocks. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

static int forwards, backwards;

void *uclibc_memmove(void *dest, const void *src, size_t n)
{
	char *s = (char *)dest;
	const char *p = (const char *)src;
	if (p >= s) {
		forwards++;
		while (n) {
			*s++ = *p++;
			--n;
		}
	} else {
		backwards++;
		while (n) {
			--n;
			s[n] = p[n];
		}
	}
	return dest;
}

int main(void)
{
	unsigned char symbolic;
	klee_make_symbolic(&symbolic, 1, "symbolic");
	char *blocks[12];
	for (int i = 0; i < 12; i++) {
		blocks[i] = malloc(10 + 30 * i);
		if (symbolic >> (i % 3) & 1 && i % 4 == 0)
			free(malloc(10 + 30 * i));
		for (int j = 0; j < i; j++)
			uclibc_memmove(blocks[i], blocks[j], 10);
	}
	for (int i = 0; i < 12; i++)
		printf("%p\n", (void *)blocks[i]);
	printf("forwards %d, backwards %d\n", forwards, backwards);
	return 0;
}

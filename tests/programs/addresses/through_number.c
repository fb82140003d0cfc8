/* As strdup_puts.c, but the pointer went through a number that nothing can see through: only
 * the quarantine knows that the address is no other block's yet. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char *s = malloc(2);
	uintptr_t number = (uintptr_t)s ^ 0x5555555555555555;
	free(s);
	char text[20];
	snprintf(text, sizeof text, "%lx", (unsigned long)number);
	char *t = malloc(2);
	t[0] = 'B';
	t[1] = 0;
	number = strtoul(text, 0, 16) ^ 0x5555555555555555;
	puts((char *)number);
	return 0;
}

/* A write to a string literal.
 * inputs: 2
 * faults: yes */
#include "../agree.h"

int main(void)
{
	char writable[] = "text", *literal = (char *)(uintptr_t)"text";
	char *p = klee_range(0, 2, "which") ? literal : writable;
	*(volatile char *)p = 'n';
	puts(p);
	return 0;
}

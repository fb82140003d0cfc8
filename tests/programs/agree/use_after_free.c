/* A block freed under a condition and used after it.
 * inputs: 256
 * faults: yes */
#include "../agree.h"

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	char *p = malloc(8);
	strcpy(p, "alive");
	if (x % 16 == 3)
		free(p);
	if (x > 100)
		puts(p);
	return 0;
}

/* A loop without an end, and a path for each round of another.
 * options: --max-time 10s
 * ends: limit time */
#include <klee/klee.h>

int main(void)
{
	unsigned n = 0, limit;
	klee_make_symbolic(&limit, sizeof limit, "limit");
	while (n < limit)
		n++;
	for (;;)
		n++;
}

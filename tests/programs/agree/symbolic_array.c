/* A variable-length array with a symbolic length.
 * inputs: 7 8
 * faults: yes */
#include "../agree.h"

static int fill(int n, int i)
{
	int v[n];
	v[0] = 1;
	v[n - 1] = 2;
	v[i] = 3;
	return v[0] + v[n - 1];
}

int main(void)
{
	int n = 1 + klee_range(0, 7, "n"), i = klee_range(0, 8, "i");
	return decide(fill(n, i));
}

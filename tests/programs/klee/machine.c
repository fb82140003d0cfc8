/* A stack machine: symbolic programs, operations called through a table.
 * exits: 1 2 3
 * tests: 49 */
#include <klee/klee.h>
#include <stdint.h>
#include <assert.h>
typedef int (*op)(int *, int *);

static int add(int *s, int *n)
{
	if (*n < 2)
		return 1;
	s[*n - 2] += s[*n - 1];
	--*n;
	return 0;
}

static int dup_(int *s, int *n)
{
	if (*n < 1 || *n > 7)
		return 1;
	s[*n] = s[*n - 1];
	++*n;
	return 0;
}

static int one(int *s, int *n)
{
	if (*n > 7)
		return 1;
	s[(*n)++] = 1;
	return 0;
}

static int mul(int *s, int *n)
{
	if (*n < 2)
		return 1;
	s[*n - 2] *= s[*n - 1];
	--*n;
	return 0;
}

static op ops[4] = {one, dup_, add, mul};

int main(void)
{
	uint8_t code[4];
	klee_make_symbolic(code, sizeof code, "code");
	int s[8], n = 0;
	for (int i = 0; i < 4; i++) {
		if (code[i] >= 4)
			return 1;
		if (ops[code[i]](s, &n))
			return 2;
	}
	if (n == 1 && s[0] == 4)
		return 4;
	return 3;
}

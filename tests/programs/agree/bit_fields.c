/* Bit fields that share a word.
 * inputs: 256 */
#include "../agree.h"

struct flags {
	unsigned low : 3, middle : 4;
	signed top : 3;
	unsigned rest : 22;
};

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	struct flags f = { .rest = 5 };
	f.low = x;
	f.middle = x >> 3;
	f.top = x >> 5;
	if (f.top < 0)
		puts("negative");
	if (f.middle == 15)
		puts("full");
	return decide(f.rest == 5 ? (int)f.low : 99);
}

/* Loops in which something counts, so that no state comes back, and which nothing leads out of.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 1 */
#include <stdio.h>

static volatile unsigned count;

static void counts(void)
{
	for (;;)
		count++; //~ loop: infinite loop
}

/* What it calls comes back; what the C library calls through pointers as well. */
static void prints(void)
{
	for (;;) {
		int length = printf("%u\n", count); //~ loop: infinite loop
		if (length > 0)
			count++;
	}
}

static void up(unsigned by) { count += by; }
static void down(unsigned by) { count -= by; }
static void (*volatile steps[])(unsigned) = {up, down};

/* Goes on through pointers to functions. */
static void through_pointers(void)
{
	unsigned turn = 0;
	for (;;)
		steps[count % 7 == 0](turn++); //~ loop: infinite loop
}

/* An inner loop that ends, in one that does not. */
static void nested(void)
{
	for (unsigned turn = 0;; turn++) {
		for (unsigned i = 0; i < 5; i++) //~ loop: infinite loop
			count += turn;
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	switch (argv[1][0]) {
	case 'a': counts(); break;
	case 'b': prints(); break;
	case 'c': through_pointers(); break;
	case 'd': nested(); break;
	}
	return 0;
}

/* Many ways to one error and to one lack: each covers lines of its own, the shortest way comes last
 * or first as the searcher has it. */
#include <klee/klee.h>
#include <stdlib.h>

int lacking(void);

static int work;

static void slow(int rounds)
{
	for (int at = 0; at < rounds; at++)
		work += at;
}

static void fail(void)
{
	abort();
}

int main(void)
{
	unsigned char x, y;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&y, sizeof y, "y");
	switch (x) {
	case 1:
		slow(20);
		work *= 3;
		break;
	case 2:
		slow(10);
		work *= 5;
		break;
	case 3:
		work *= 7;
		break;
	case 4:
		slow(30);
		if (y > 100)
			work *= 11;
		else
			work *= 13;
		break;
	default:
		return 0;
	}
	if (y & 1)
		fail();
	return lacking();
}

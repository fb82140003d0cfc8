/* More live paths than tests at the end of the run: each byte leads to another state, and few
 * paths get to the later ones. The loop has no end. */
#include <klee/klee.h>

static int state, seen;

static void step(unsigned char c)
{
	switch (state) {
	case 0:
		if (c == 'a')
			state = 1;
		else if (c > 'p')
			seen++;
		break;
	case 1:
		if (c == 'b')
			state = 2;
		else
			state = 0;
		break;
	case 2:
		if (c == 'c') {
			state = 3;
		} else if (c < 'c') {
			seen += 2;
			state = 1;
		} else {
			seen += 3;
			state = 0;
		}
		break;
	case 3:
		if (c & 1)
			seen ^= 5;
		else if (c & 2)
			seen ^= 7;
		else
			state = 4;
		break;
	default:
		if (c % 7 == 3)
			state = 0;
		else if (c % 11 == 5)
			state = seen & 3;
		break;
	}
}

int main(void)
{
	for (;;) {
		unsigned char c;
		klee_make_symbolic(&c, sizeof c, "c");
		step(c);
	}
}

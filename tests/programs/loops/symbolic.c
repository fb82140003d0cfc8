/* Loops whose bounds and values are the input's.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 2 */
#include <stdlib.h>
#include <string.h>

static volatile int sink;

/* Never reaches a bound that the step jumps over: odd inputs. */
static void jumps_over(unsigned char bound)
{
	for (unsigned char i = 0; i != bound; i += 2) //~ loop: infinite loop
		sink = 1;
}

/* A step of the input's: 0 does not move. */
static void step(unsigned char by)
{
	unsigned at = 0;
	while (at < 100) { //~ loop: infinite loop
		at += by;
		if (by > 3)
			return;
	}
}

/* Values of the input's go round in a ring. */
static void ring(unsigned char value)
{
	unsigned char at[3] = { value, 1, 2 };
	for (;;) {
		unsigned char first = at[0]; //~ loop: infinite loop
		if (first == 77)
			break;
		at[0] = at[1], at[1] = at[2], at[2] = first;
	}
}

/* Near misses. */

/* A path for each bound; all of them end. */
static void bounded(unsigned char bound)
{
	for (int turn = 0; turn < 1500; turn++)
		for (unsigned char i = 0; i < bound; i++)
			if (i > 4)
				return;
}

/* A fresh symbolic condition in each turn: the constraints grow, and the loop ends. */
static void eats(unsigned char value)
{
	unsigned rest = value;
	int turn = 0;
	while (rest) {
		for (int i = 0; i < 3000; i++)
			sink = 1;
		rest &= rest - 1;
		turn++;
	}
}

int main(int argc, char **argv)
{
	if (argc < 2 || strlen(argv[1]) < 2)
		return 1;
	unsigned char value = argv[1][1];
	switch (argv[1][0]) {
	case 'a': jumps_over(value); break;
	case 'b': step(value - 'c'); break;
	case 'c': ring(value); break;
	case 'A': bounded(value); break;
	case 'B': eats(value); break;
	}
	return 0;
}

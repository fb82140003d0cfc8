/* Loops over variables, one for each first byte of the argument.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 1 */
#include <stdint.h>
#include <stdlib.h>

static volatile int sink;

/* CWE-835: the condition of an unsigned counter always holds. */
static void unsigned_wrap(void)
{
	for (unsigned char i = 10; i >= 0; i--) //~ loop: infinite loop
		sink = i & 1;
}

/* The same with a counter of 16 bits: its period is 65,536. */
static void short_wrap(void)
{
	for (uint16_t i = 0; i < 70000; i++) //~ loop: infinite loop
		sink = i & 1;
}

/* CWE-835: the counter is never changed. */
static void forgotten(int n)
{
	int i = 0;
	while (i < n) //~ loop: infinite loop
		sink = n;
}

/* The step comes past the end, again and again. */
static void past_the_end(void)
{
	unsigned char i = 0;
	while (i != 101) //~ loop: infinite loop
		i += 2;
}

/* `continue` before the counter moves. */
static void stuck_continue(void)
{
	int i = 0;
	while (i < 20) { //~ loop: infinite loop
		if (i == 7)
			continue;
		i++;
	}
}

/* A state machine without a way out: a -> b -> c -> a. */
static void machine(void)
{
	enum { A, B, C, DONE } state = A;
	while (state != DONE) { //~ loop: infinite loop
		switch (state) {
		case A: state = B; break;
		case B: state = C; break;
		case C: state = A; break;
		default: state = DONE;
		}
	}
}

/* A congruential generator of 16 bits that never gives an odd number. */
static void generator(void)
{
	uint16_t x = 2;
	while (x % 2 == 0) //~ loop: infinite loop
		x = x * 5 + 4;
}

/* Two counters whose periods have no common factor. */
static void two_counters(void)
{
	int a = 0, b = 0;
	do {
		a = (a + 1) % 97; //~ loop: infinite loop
		b = (b + 1) % 89;
	} while (a + b >= 0);
}

/* An inner loop that ends, in one that does not. */
static void nested(void)
{
	for (;;) {
		int sum = 0;
		for (int i = 0; i < 100; i++) //~ loop: infinite loop
			sum += i;
		if (sum == 1)
			break;
	}
}

/* goto back. */
static void jumps(void)
{
	int tries = 3;
again:
	tries = 3;
	if (--tries) //~ loop: infinite loop
		goto again;
}

/* A floating-point counter that has become too large to grow. */
static void too_large(void)
{
	float x = 16777216.0f;
	while (x < 16777220.0f) //~ loop: infinite loop
		x += 1.0f;
}

/* Near misses. */

static void long_counter(void)
{
	for (int i = 0; i < 100000; i++)
		sink = 1;
}

/* The period of the generator is longer than the program runs. */
static void long_period(void)
{
	uint32_t x = 1;
	for (int i = 0; i < 50000; i++) {
		x ^= x << 13, x ^= x >> 17, x ^= x << 5;
		sink = x;
	}
}

/* All is as before but one bit, and that counts. */
static void slow_clock(void)
{
	int low = 0, high = 0;
	while (high < 50) {
		low = (low + 1) % 1000;
		if (low == 0)
			high++;
	}
}

/* Ends when it comes round. */
static void comes_round(void)
{
	for (uint16_t i = 1; i != 0; i++)
		sink = 1;
}

static void collatz(unsigned n)
{
	while (n != 1)
		n = n % 2 ? 3 * n + 1 : n / 2;
}

/* A float counter that is small enough. */
static void small_enough(void)
{
	for (float x = 0; x < 60000.0f; x += 1.0f)
		sink = 1;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	switch (argv[1][0]) {
	case 'a': unsigned_wrap(); break;
	case 'b': short_wrap(); break;
	case 'c': forgotten(argc); break;
	case 'd': past_the_end(); break;
	case 'e': stuck_continue(); break;
	case 'f': machine(); break;
	case 'g': generator(); break;
	case 'h': two_counters(); break;
	case 'i': nested(); break;
	case 'j': jumps(); break;
	case 'k': too_large(); break;
	case 'A': long_counter(); break;
	case 'B': long_period(); break;
	case 'C': slow_clock(); break;
	case 'D': comes_round(); break;
	case 'E': for (int i = 0; i < 2000; i++) collatz(837799); break;
	case 'F': small_enough(); break;
	}
	return 0;
}

/* Near misses of loops that nothing leads out of: they are left by a call, by a jump, or late.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 1 */
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

/* They go on for longer than plat waits. */
enum { TURNS = 8000000 };

static volatile unsigned count;

static void is_left_by_a_call(void)
{
	for (;;)
		if (++count == TURNS)
			exit(3);
}

static jmp_buf out;

static void is_left_by_a_jump(void)
{
	if (setjmp(out))
		return;
	for (;;)
		if (++count == TURNS)
			longjmp(out, 1);
}

static void ends(long turn)
{
	if (++count == TURNS)
		_exit(4);
}
static void (*volatile ending)(void *, int) = (void (*)(void *, int))ends;

/* The function takes fewer arguments than it is given, and a number where it is given a pointer. */
static void is_left_through_a_pointer(void)
{
	for (int turn = 0;; turn++)
		ending(0, turn);
}

/* The way out is not where it mostly is. */
static void is_left_by_a_break(void)
{
	for (;;) {
		for (unsigned i = 0; i < TURNS / 4; i++)
			count++;
		if (count > TURNS)
			break;
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	switch (argv[1][0]) {
	case 'A': is_left_by_a_call(); break;
	case 'B': is_left_by_a_jump(); break;
	case 'C': is_left_through_a_pointer(); break;
	case 'D': is_left_by_a_break(); break;
	}
	return 0;
}

/* Writes gcov's counts when the run ends by abort(). The counts of a run that is stopped elsewhere
   are left alone: gcov takes what goes into a function for what comes out of it, so a loop that was
   interrupted would seem to have ended. */
#include <signal.h>

void __gcov_dump(void);

static void dump(int number)
{
	__gcov_dump();
	signal(number, SIG_DFL);
	raise(number);
}

__attribute__((constructor)) static void watch(void)
{
	signal(SIGABRT, dump);
}

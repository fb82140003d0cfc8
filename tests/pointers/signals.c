/* Handlers of signals, installed in three ways. */
#include "alias.h"
#include <signal.h>
int x, y, z;
static int *seen;
static void first(int number) { seen = &x; }
static void second(int number) { seen = &y; }
static void third(int number, siginfo_t *info, void *context) { seen = info ? &z : NULL; }
int main(void)
{
	struct sigaction action = { 0 }, old = { 0 };
	signal(SIGUSR1, first);
	raise(SIGUSR1);
	MUSTALIAS(seen, &x);
	MUSTALIAS(signal(SIGUSR1, second), first);
	raise(SIGUSR1);
	MUSTALIAS(seen, &y);
	action.sa_sigaction = third; action.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	MUSTALIAS(seen, &z);
	sigaction(SIGUSR2, NULL, &old);
	MUSTALIAS(old.sa_sigaction, third);
	NOALIAS(seen, &action); NOALIAS(old.sa_sigaction, &z);
	return 0;
}

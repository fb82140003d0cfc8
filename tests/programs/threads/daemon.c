/* arguments: --sym-arg 1
 *
 * Programs that wait for a signal from outside, alone and beside threads that wait for each other. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t never;

static void *waits(void *unused)
{
	sem_wait(&never);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t all;
	int signal;

	if (argc < 2) return 2;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, 0);
	sem_init(&never, 0, 0);
	switch (argv[1][0]) {
	case '1':
		write(1, "waits\n", 6);
		sigwait(&all, &signal);
		return 1;
	case '2':
		write(1, "pauses\n", 7);
		pause();
		return 1;
	case '3':
		write(1, "threads\n", 8);
		pthread_create(&thread, 0, waits, 0);
		sigwait(&all, &signal);
		return 1;
	}
	return 0;
}

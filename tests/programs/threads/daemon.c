/* arguments: --sym-arg 1
 *
 * Programs that wait for a signal from outside, alone and beside threads that wait for each other. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
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
	int signal, ends[2];
	struct pollfd own = { .events = POLLIN };

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
	/* Nothing that is waited for can become ready. */
	case '4':
		write(1, "selects\n", 8);
		select(0, 0, 0, 0, 0);
		return 1;
	case '5':
		if (pipe(ends)) return 3;
		own.fd = ends[0];
		write(1, "polls\n", 6);
		poll(&own, 1, -1);
		return 1;
	case '6':
		/* A time limit passes. */
		write(1, "passes\n", 7);
		return select(0, 0, 0, 0, &(struct timeval){ .tv_usec = 1000 });
	}
	return 0;
}

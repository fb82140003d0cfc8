/* Waiting for signals: by sigwait, sigwaitinfo, sigtimedwait and sigsuspend, for the process and for one
 * thread, with a thread that does nothing else. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t told;
static sigset_t all;

static void say(const char *what, long first, long second)
{
	printf("%s %ld %ld\n", what, first, second);
	fflush(stdout);
}

static void *listens(void *unused)
{
	int signal;
	do {
		say("sigwait", sigwait(&all, &signal), signal);
		sem_post(&told);
	} while (signal != SIGTERM);
	return unused;
}

static void *blocks_only(void *other)
{
	sigset_t waiting;
	sigpending(&waiting);
	say("another thread's", sigismember(&waiting, SIGUSR1), sigismember(&waiting, SIGUSR2));
	pthread_kill(*(pthread_t *)other, SIGUSR2);
	return 0;
}

static int handled;
static void handler(int signal) { handled = signal; }

int main(void)
{
	pthread_t thread, self = pthread_self();
	siginfo_t info;
	sigset_t waiting, none;
	struct timespec soon = { 0, 20000000 }, now = { 0, 0 };

	sem_init(&told, 0, 0);
	sigemptyset(&none);
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigaddset(&all, SIGUSR2);
	sigaddset(&all, SIGTERM);
	sigaddset(&all, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &all, 0);

	/* One thread. */
	raise(SIGUSR2);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	sigpending(&waiting);
	say("pending", sigismember(&waiting, SIGUSR1), sigismember(&waiting, SIGUSR2));
	say("first", sigwaitinfo(&all, &info), info.si_code == SI_USER);
	say("sender", info.si_pid == getpid(), info.si_uid == getuid());
	say("second", sigwaitinfo(&all, &info), info.si_code == SI_USER);
	say("sender", info.si_pid == getpid(), info.si_signo);
	errno = 0;
	say("none", sigtimedwait(&all, 0, &now), errno == EAGAIN);
	errno = 0;
	say("none yet", sigtimedwait(&all, &info, &soon), errno == EAGAIN);
	/* What is ignored, and blocked, waits all the same. */
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	kill(getpid(), SIGCHLD);
	say("ignored", sigwaitinfo(&all, 0), sigwaitinfo(&all, 0));
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	errno = 0;
	say("suspended", sigsuspend(&none), errno == EINTR);
	say("handled", handled, 0);
	sigpending(&waiting);
	say("pending", sigismember(&waiting, SIGUSR1), sigismember(&waiting, SIGUSR2));

	/* A thread that waits for signals. */
	pthread_create(&thread, 0, listens, 0);
	kill(getpid(), SIGUSR1);
	sem_wait(&told);
	pthread_kill(thread, SIGUSR2);
	sem_wait(&told);
	kill(getpid(), SIGTERM);
	sem_wait(&told);
	pthread_join(thread, 0);

	/* A signal for a thread is nobody else's. */
	raise(SIGUSR1);
	pthread_create(&thread, 0, blocks_only, &self);
	say("from a thread", sigwaitinfo(&all, &info), sigwaitinfo(&all, &info));
	pthread_join(thread, 0);
	return 0;
}

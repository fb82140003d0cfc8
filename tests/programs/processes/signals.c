/* Signals that processes wait for and send to each other. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *who, const char *what, long first, long second)
{
	printf("%s: %s %ld %ld\n", who, what, first, second);
	fflush(stdout);
}

int main(void)
{
	sigset_t all;
	siginfo_t info;
	int status, signal, ends[2];
	char byte = 0;
	pid_t first = getpid(), child;

	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigaddset(&all, SIGUSR2);
	sigprocmask(SIG_BLOCK, &all, 0);
	kill(first, SIGUSR2);
	pipe(ends);
	child = fork();
	if (child == 0) {
		/* What is pending is not inherited; the mask is. */
		sigset_t waiting;
		sigpending(&waiting);
		say("child", "pending", sigismember(&waiting, SIGUSR2), 0);
		kill(first, SIGUSR1);
		write(ends[1], &byte, 1);
		sigwait(&all, &signal);
		say("child", "sigwait", signal, 0);
		_exit(3);
	}
	read(ends[0], &byte, 1);
	sigwaitinfo(&all, &info);
	say("first", "sigwaitinfo", info.si_signo, info.si_pid == child);
	sigwaitinfo(&all, &info);
	say("first", "sigwaitinfo", info.si_signo, info.si_pid == first);
	kill(child, SIGUSR2);
	waitpid(child, &status, 0);
	say("first", "exit", WIFEXITED(status), WEXITSTATUS(status));

	/* One that waits for a signal and gets another, which ends it. */
	child = fork();
	if (child == 0) {
		sigwait(&all, &signal);
		_exit(4);
	}
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	say("first", "signal", WIFSIGNALED(status), WTERMSIG(status));
	return 0;
}

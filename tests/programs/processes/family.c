/* Processes that are made, end, and are waited for. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int value = 1;

static void say(const char *what, pid_t got, pid_t expected, int status)
{
	printf("%s: %s", what, got == expected ? "it" : got < 0 ? "none" : "another");
	if (got < 0) printf(", error %d", errno);
	if (got > 0 && WIFEXITED(status)) printf(", exit %d", WEXITSTATUS(status));
	if (got > 0 && WIFSIGNALED(status)) printf(", signal %d", WTERMSIG(status));
	puts("");
	fflush(stdout);
}

static void at_exit(void)
{
	char text[] = "at exit of ?\n";
	text[11] = '0' + value;
	write(1, text, sizeof text - 1);
}

int main(void)
{
	int status = 0;
	pid_t self = getpid();
	char *heap = strdup("heap");
	atexit(at_exit);
	pid_t child = fork();
	if (child == 0) {
		value = 2;
		strcpy(heap, "mine");
		printf("child: parent %d, %s\n", getppid() == self, heap);
		exit(value + 5);
	}
	say("first", waitpid(child, &status, 0), child, status);
	printf("parent: %d, %s\n", value, heap);
	fflush(stdout);

	pid_t children[3];
	for (int i = 0; i < 3; i++) {
		children[i] = fork();
		if (children[i] == 0) _exit(10 + i);
	}
	for (int i = 2; i >= 0; i--) {
		pid_t got = waitpid(children[i], &status, 0);
		say("one of three", got, children[i], status);
	}
	say("nobody", wait(&status), 0, status);

	child = fork();
	if (child == 0) {
		pid_t grandchild = fork();
		if (grandchild == 0) _exit(3);
		waitpid(grandchild, &status, 0);
		_exit(WEXITSTATUS(status) * 2);
	}
	say("grandchild", waitpid(child, &status, 0), child, status);

	child = fork();
	if (child == 0) for (;;) pause();
	say("still there", waitpid(child, &status, WNOHANG), 0, 0);
	printf("kill: %d\n", kill(child, SIGTERM));
	fflush(stdout);
	say("killed", waitpid(child, &status, 0), child, status);
	printf("gone: %d\n", kill(child, 0));
	fflush(stdout);

	child = fork();
	if (child == 0) raise(SIGUSR1);
	say("by itself", waitpid(child, &status, 0), child, status);

	signal(SIGCHLD, SIG_IGN);
	fflush(stdout);
	if (fork() == 0) _exit(1);
	say("ignored", wait(&status), 0, status);
	free(heap);
	return 4;
}

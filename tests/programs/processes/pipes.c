/* Processes that talk over pipes and socket pairs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void filter(int in, int out)
{
	char byte;
	while (read(in, &byte, 1) == 1) {
		if (byte >= 'a' && byte <= 'z') byte -= 32;
		write(out, &byte, 1);
	}
	_exit(0);
}

int main(void)
{
	int there[2], back[2], status;
	char text[64] = "";
	pipe(there);
	pipe(back);
	pid_t child = fork();
	if (child == 0) {
		close(there[1]);
		close(back[0]);
		filter(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	write(there[1], "through a pipe", 14);
	close(there[1]);
	size_t size = 0;
	ssize_t n;
	while ((n = read(back[0], text + size, sizeof text - size)) > 0) size += n;
	waitpid(child, &status, 0);
	printf("%.*s, exit %d\n", (int)size, text, WEXITSTATUS(status));
	fflush(stdout);

	/* More than a pipe holds. */
	pipe(there);
	child = fork();
	if (child == 0) {
		static char much[50000];
		close(there[0]);
		for (int i = 0; i < 4; i++) {
			memset(much, 'a' + i, sizeof much);
			if (write(there[1], much, sizeof much) != sizeof much) _exit(1);
		}
		_exit(0);
	}
	close(there[1]);
	static char part[7000];
	long sum = 0, total = 0;
	while ((n = read(there[0], part, sizeof part)) > 0) {
		total += n;
		for (ssize_t i = 0; i < n; i++) sum += part[i];
	}
	waitpid(child, &status, 0);
	printf("%ld bytes, sum %ld, exit %d\n", total, sum, WEXITSTATUS(status));
	fflush(stdout);

	int pair[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	child = fork();
	if (child == 0) {
		close(pair[0]);
		int number;
		while (recv(pair[1], &number, sizeof number, MSG_WAITALL) == sizeof number) {
			number *= number;
			send(pair[1], &number, sizeof number, 0);
		}
		_exit(7);
	}
	close(pair[1]);
	for (int i = 2; i < 5; i++) {
		int number = i;
		send(pair[0], &number, sizeof number, 0);
		struct pollfd one = { .fd = pair[0], .events = POLLIN };
		poll(&one, 1, -1);
		recv(pair[0], &number, sizeof number, 0);
		printf("%d squared is %d\n", i, number);
	}
	shutdown(pair[0], SHUT_WR);
	printf("the end: %zd\n", recv(pair[0], text, 1, 0));
	waitpid(child, &status, 0);
	printf("exit %d\n", WEXITSTATUS(status));
	fflush(stdout);

	/* An open file is shared, with its position. */
	int file = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(file, "0123456789", 10);
	lseek(file, 2, SEEK_SET);
	child = fork();
	if (child == 0) {
		read(file, text, 3);
		_exit(text[0]);
	}
	waitpid(child, &status, 0);
	read(file, text, 1);
	printf("%c, then %c\n", WEXITSTATUS(status), text[0]);
	unlink("shared");
	return 0;
}

/* Threads that wait for one another over a pipe and a socket pair, with time limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int pipes[2], pair[2];

static void *work(void *unused)
{
	char byte;
	long sum = 0;
	while (read(pipes[0], &byte, 1) == 1) {
		sum += byte;
		write(pair[1], &byte, 1);
	}
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, 0);
	write(pair[1], "!", 1);
	close(pair[1]);
	return unused ? unused : (void *)sum;
}

int main(void)
{
	pthread_t thread;
	char text[8];
	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
	pthread_create(&thread, 0, work, 0);
	for (int i = 1; i <= 3; i++) {
		char byte = (char)i;
		write(pipes[1], &byte, 1);
		if (read(pair[0], &byte, 1) != 1) return 2;
		printf("%d came back\n", byte);
	}
	close(pipes[1]);
	struct pollfd one = { .fd = pair[0], .events = POLLIN };
	printf("too early: %d\n", poll(&one, 1, 10));
	printf("later: %d\n", poll(&one, 1, 5000));
	printf("read: %zd\n", read(pair[0], text, sizeof text));
	void *sum;
	pthread_join(thread, &sum);
	printf("sum %ld, then %zd\n", (long)sum, read(pair[0], text, sizeof text));
	return 0;
}

/* The shared library of the programs beside this file. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct node {
	struct node *next;
	long value;
};

long sum_list(struct node *first)
{
	long sum = 0;
	for (; first; first = first->next)
		sum += first->value;
	return sum;
}

void reverse_list(struct node **first)
{
	struct node *done = 0;
	while (*first) {
		struct node *next = (*first)->next;
		(*first)->next = done;
		done = *first;
		*first = next;
	}
	*first = done;
}

char *find_last(char *text, int c)
{
	return strrchr(text, c);
}

long double product(long double a, float b, double c)
{
	return a * b * c;
}

int fail_with(int number)
{
	errno = number;
	return -1;
}

signed char narrow(signed char a, short b, unsigned char c, unsigned short d)
{
	return a + (b == -300) + (c == 200) + (d == 60000);
}

int many(int a, long b, double c, int d, int e, int f, int g, int h, double i, short j)
{
	return a + b * 2 + c * 2 + d * 3 + e * 5 + f * 7 + g * 11 + h * 13 + i * 2 + j * 17;
}

int variadic(const char *kinds, ...)
{
	va_list list;
	double sum = 0;
	va_start(list, kinds);
	for (; *kinds; kinds++)
		sum += *kinds == 'd' ? va_arg(list, double) * 2
		       : *kinds == 'l' ? va_arg(list, long)
				       : va_arg(list, int);
	va_end(list);
	return sum * 10;
}

void crash(void)
{
	*(volatile int *)8 = 1;
}

void hang(void)
{
	for (;;)
		pause();
}

void overrun(char *text)
{
	text[40] = 1;
}

char *own_memory(void)
{
	return strdup("own");
}

void leave(void)
{
	_exit(7);
}

static int counter;

int count(void)
{
	return ++counter;
}

int twice(int x)
{
	return 2 * x;
}

int first_byte(const unsigned char *bytes)
{
	return bytes[0];
}

/* Sends a number to the socket at a path: callees change no files. */
static void tell(const char *path, int number)
{
	struct sockaddr_un there = { .sun_family = AF_UNIX };
	char text[20];
	int out = socket(AF_UNIX, SOCK_DGRAM, 0);
	strncpy(there.sun_path, path, sizeof there.sun_path - 1);
	snprintf(text, sizeof text, "%d", number);
	sendto(out, text, strlen(text), 0, (struct sockaddr *)&there, sizeof there);
	close(out);
}

/* Starts processes that do not end: a child, one in a session of its own, an orphan. Their numbers go
 * to a socket. */
int leave_processes(const char *path)
{
	int told[2];
	char one;
	pipe(told);
	for (int kind = 0; kind < 3; kind++) {
		if (fork())
			continue;
		if (kind)
			setsid();
		if (kind == 2 && fork())
			_exit(0);
		signal(SIGTERM, SIG_IGN);
		tell(path, getpid());
		write(told[1], "!", 1);
		for (;;)
			pause();
	}
	for (int kind = 0; kind < 3; kind++)
		read(told[0], &one, 1);
	close(told[0]);
	close(told[1]);
	return 3;
}

int hang_with_processes(const char *path)
{
	leave_processes(path);
	hang();
	return 0;
}

int return_twice(void)
{
	int child = fork();
	if (!child)
		return 1;
	usleep(20000);
	return 2;
}

/* The number of descriptors that are not the standard ones and can be written to. */
int write_everywhere(void)
{
	int count = 0;
	for (int descriptor = 3; descriptor < 256; descriptor++)
		count += write(descriptor, "INTRUDER", 8) == 8;
	return count;
}

int close_everything(void)
{
	for (int descriptor = 0; descriptor < 1024; descriptor++)
		close(descriptor);
	return 5;
}

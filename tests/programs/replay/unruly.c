/* A program that does what a native run must not do, one thing for each argument. OUTSIDE is a file
 * outside of its directory, TEMPORARY one in the temporary directory, PORT one of this machine at
 * which somebody listens, and VICTIM a process. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef OUTSIDE
#define OUTSIDE "outside"
#define TEMPORARY "temporary"
#define PORT 1
#define VICTIM 0x7fffffff
#endif

static void write_outside(void)
{
	int fd = open(OUTSIDE, O_WRONLY | O_CREAT, 0644);
	if (fd >= 0)
		close(fd);
}

static void use_temporary_file(void)
{
	char text[8] = "";
	FILE *file = fopen(TEMPORARY, "w+");
	fputs("kept", file);
	rewind(file);
	fgets(text, sizeof text, file);
	fclose(file);
	puts(text);
}

static void connect_to_port(void)
{
	struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	inet_pton(AF_INET, "127.0.0.1", &there.sin_addr);
	connect(fd, (struct sockaddr *)&there, sizeof there);
	close(fd);
}

static void stay_behind(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			for (int fd = 0; fd < 3; fd++)
				close(fd);
			sleep(60);
		}
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	switch (argc > 1 ? argv[1][0] : 0) {
	case 'w': write_outside(); break;
	case 't': use_temporary_file(); break;
	case 'n': connect_to_port(); break;
	case 'd': stay_behind(); break;
	case 'k': kill(VICTIM, SIGKILL); break;
	}
	return 0;
}

/* Calls of functions that fork, write to descriptors that are not theirs, and close them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int leave_processes(const char *path);
int return_twice(void);
int write_everywhere(void);
int close_everything(void);
int hang_with_processes(const char *path);

#ifndef SOCKET_OF_PROCESSES
#define SOCKET_OF_PROCESSES "/dev/null"
#endif

static void say(const char *what, int number)
{
	char line[40];
	snprintf(line, sizeof line, "%s %d\n", what, number);
	write(1, line, strlen(line));
}

int main(void)
{
#ifdef HANG
	say("hung", hang_with_processes(SOCKET_OF_PROCESSES));
#else
	say("left", leave_processes(SOCKET_OF_PROCESSES));
	say("twice", return_twice());
	say("wrote", write_everywhere());
	say("closed", close_everything());
#endif
	return 0;
}

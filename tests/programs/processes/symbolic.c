/* arguments: --sym-arg 2
 *
 * The input decides what a child does, and goes through pipes, statuses and shared memory. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2 || !argv[1][0]) return 1;
	int ends[2], status;
	pipe(ends);
	int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = fork();
	if (child == 0) {
		char byte = argv[1][0];
		switch (byte) {
		case 'w':
			byte = argv[1][1] ^ 0x55;
			write(ends[1], &byte, 1);
			break;
		case 's':
			*shared = argv[1][1] * 3;
			break;
		case 'n':
			return 2;
		}
		_exit(argv[1][1]);
	}
	close(ends[1]);
	char byte = 0;
	ssize_t n = read(ends[0], &byte, 1);
	waitpid(child, &status, 0);
	if (n == 1 && byte == '%') abort(); //~ abort: abort failure
	if (*shared == 3 * 'x') abort(); //~ abort: abort failure
	if (WEXITSTATUS(status) == 2) puts("returned");
	else if (WEXITSTATUS(status) > 'm') puts("high");
	else puts("low");
	return n == 1;
}

/* arguments: --sym-arg 1
 *
 * A fault in a child, a child that outlives its parent, and processes that wait for one another. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int ends[2];
	char byte = argc > 1 ? argv[1][0] : 0;
	pipe(ends);
	if (fork() == 0) {
		if (byte == 'a') {
			int numbers[2] = { 0 };
			return numbers[byte - 90]; //~ ptr: memory error: out of bound pointer (in a child process) | in process 2
		}
		if (byte == 'l') {
			close(ends[1]);
			read(ends[0], &byte, 1);
			write(1, "later\n", 6);
			return 9;
		}
		if (byte == 'd') {
			read(ends[0], &byte, 1); //~ deadlock: deadlock: every process waits (in a child process) | in process 2
			return 3;
		}
		return 1;
	}
	if (byte == 'l') return 5;
	wait(0);
	return 6;
}

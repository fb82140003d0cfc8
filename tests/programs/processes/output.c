/* arguments: --command-output 2
 *
 * What other programs print, to pipes and to standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	char line[8] = "", *words[] = { "uname", 0 };
	FILE *stream = popen("uname", "r");
	if (!stream) return 9;
	size_t got = fread(line, 1, sizeof line, stream);
	printf("%zu, status %d\n", got, pclose(stream));
	int result = line[0] == '7' ? 1 : 0;
	if (result && line[1] == '!') {
		int *none = 0;
		return *none; //~ ptr: memory error: null page access
	}
	/* A child that becomes another program, with its standard output in a pipe. */
	int ends[2], status;
	pipe(ends);
	if (fork() == 0) {
		dup2(ends[1], 1);
		execvp("uname", words);
		_exit(8);
	}
	close(ends[1]);
	got = read(ends[0], line, sizeof line);
	wait(&status);
	if (got == 2 && line[1] == line[0]) result += 2;
	printf("%zu, status %d\n", got, status);
	fflush(stdout);
	/* To the program's own output. */
	if (result == 3) system("uname");
	return result;
}

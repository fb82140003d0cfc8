/* arguments: --system-result symbolic
 *
 * What comes of other programs decides what this one does. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(void)
{
	char *words[] = { "true", 0 }, line[8];
	int status = system("test -e somewhere"), result = 0;
	printf("a shell: %d\n", system(NULL));
	if (status == -1 || !WIFEXITED(status)) return 9;
	if (WEXITSTATUS(status) == 0) puts("it is there");
	else if (WEXITSTATUS(status) > 1) puts("a mistake");
	FILE *stream = popen("uname", "r");
	if (!stream) return 8;
	if (!fgets(line, sizeof line, stream)) puts("it says nothing");
	if (pclose(stream) == 3 << 8) result |= 1;
	pid_t child;
	if (posix_spawn(&child, "/bin/true", 0, 0, words, environ)) return 7;
	if (waitpid(child, &status, 0) != child) return 6;
	if (WEXITSTATUS(status) == 0x5a && result) abort(); //~ abort: abort failure
	char *none[] = { "", 0 };
	printf("without a name: %d\n", posix_spawnp(&child, "", 0, 0, none, environ));
	printf("%d %d\n", execvp("", none), errno);
	printf("%d %d\n", execlp("", "", (char *)0), errno);
	fflush(stdout);
	if (fork() == 0) {
		execlp("true", "true", (char *)0);
		_exit(5);
	}
	wait(&status);
	printf("%s\n", WEXITSTATUS(status) & 1 ? "odd" : "even");
	return result;
}

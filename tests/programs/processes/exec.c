/* A child that becomes another program. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int status;
	if (fork() == 0) {
		execl("/bin/true", "true", (char *)0);
		_exit(1);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

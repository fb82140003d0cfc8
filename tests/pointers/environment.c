/* Arguments, the environment, and what the library keeps of it. */
#include "alias.h"
#include <unistd.h>
#include <errno.h>
#include <time.h>
extern char **environ;
static char setting[] = "PLAT_TEST=1";
int main(int argc, char **argv, char **envp)
{
	char **walk = argv, *last = NULL;
	while (*walk) last = *walk++;
	MUSTALIAS(last, argv[argc - 1]); MUSTALIAS(walk, argv + argc);
	MUSTALIAS(environ, envp); MUSTALIAS(*environ, *envp);
	putenv(setting);
	MUSTALIAS(getenv("PLAT_TEST"), setting + 10);
	char *words[] = { "program", "-o", "value", NULL };
	getopt(3, words, "o:");
	MUSTALIAS(optarg, words[2]);
	time_t now = 0;
	MUSTALIAS(gmtime(&now), gmtime(&now));
	int *error = &errno;
	MUSTALIAS(error, &errno);
	NOALIAS(error, &now);
	return 0;
}

/* Limits that a program takes the number of its descriptors or workers from. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("descriptors: %ld of %ld, %ld\n", (long)limit.rlim_cur, (long)limit.rlim_max, sysconf(_SC_OPEN_MAX));
	getrlimit(RLIMIT_STACK, &limit);
	printf("stack: %ld\n", (long)limit.rlim_cur);
	getrlimit(RLIMIT_CORE, &limit);
	printf("core: %ld\n", (long)limit.rlim_cur);
	if (argv[1][0] == 'x') puts("x");
	return 0;
}

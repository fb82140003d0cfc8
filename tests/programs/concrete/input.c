/* Arguments, an environment variable and standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("argument %d: %s\n", i, argv[i]);
	printf("LC_ALL is %s\n", getenv("LC_ALL") ? getenv("LC_ALL") : "not set");
	char line[64];
	for (int number = 1; fgets(line, sizeof line, stdin); number++)
		printf("%2d %s", number, line);
	printf("end of file %d\n", feof(stdin) != 0);
	return argc;
}

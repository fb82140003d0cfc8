/* Options of a program, read from its arguments.
 * options: --sym-args 0 2 2
 * exits: 0 1 2 3 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int verbose = 0, quiet = 0;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			verbose = 1;
		else if (strcmp(argv[i], "-q") == 0)
			quiet = 1;
		else
			return 3;
	}
	if (verbose && quiet)
		return 2;
	printf("%s\n", verbose ? "verbose" : quiet ? "quiet" : "normal");
	return verbose;
}

/* KLEE's options for arguments with one dash, getopt on what they give.
 * options: -sym-args 0 2 2 -sym-arg 1
 * exits: 0 1 2 3 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int c, a = 0, n = 0;
	opterr = 0;
	while ((c = getopt(argc, argv, "an:")) != -1)
		switch (c) {
		case 'a':
			a = 1;
			break;
		case 'n':
			n = atoi(optarg);
			break;
		default:
			return 1;
		}
	if (a && optind < argc)
		return 2;
	if (n == 3)
		return 3;
	return 0;
}

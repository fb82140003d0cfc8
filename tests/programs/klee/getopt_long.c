/* Options as command-line tools read them.
 * options: --sym-args 0 1 4
 * exits: 0 1 2 3 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static struct option longs[] = {{"all",0,0,'a'},{"size",1,0,'s'},{"help",0,0,'h'},{0,0,0,0}};

int main(int argc, char **argv)
{
	int c, all = 0;
	long size = 10;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "as:h", longs, 0)) != -1)
	switch (c) {
		case 'a': all = 1;
		break;
		case 's': {
			char *e;
			size = strtol(optarg, &e, 0);
			if (*e)
				return 2;
			break;
		}
		case 'h': puts("usage");
		return 0;
		default: return 1;
	}
	if (optind < argc && strcmp(argv[optind], "go") == 0)
		return 3;
	return all && size > 77 ? 4 : 0;
}

/* Command-line options by hand: two short arguments.
 * args: 2 1
 * alphabet: 00 2d 61 62 78 */
#include "../agree.h"

int main(int argc, char **argv)
{
	int all = 0, both = 0, rest = 0;
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1]) {
			rest++;
			continue;
		}
		for (char *p = argv[i] + 1; *p; p++)
			switch (*p) {
			case 'a': all = 1; break;
			case 'b': both = 1; break;
			default: puts("usage"); return 2;
			}
	}
	printf("%d %d %d\n", all, both, rest);
	return decide(all && both);
}

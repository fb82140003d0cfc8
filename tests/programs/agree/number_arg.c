/* A number from the command line.
 * args: 2
 * alphabet: 00 20 2d 2b 30 31 32 37 39 61 */
#include "../agree.h"

int main(int argc, char **argv)
{
	if (argc != 2)
		return 100;
	int n = atoi(argv[1]);
	if (n == 17)
		puts("seventeen");
	else if (n < 0)
		puts("negative");
	else if (n > 70)
		puts("large");
	else if (n == 0)
		puts("zero");
	return 0;
}

/* A hundred thousand arguments.
 * arguments: 100000
 * ends: exit 0 */
#include <string.h>

int main(int argc, char **argv)
{
	unsigned long bytes = 0;
	for (int i = 1; i < argc; i++)
		bytes += strlen(argv[i]);
	return argc != 100001 || bytes != 600000;
}

/* A file whose name is two symbolic bytes: a path for each file and directory that it can be, in
 * each way of naming it that calls can tell apart, and one for all names that nothing has.
 * options: --sym-arg 2 --sym-files 1 4
 * tests: 7
 * exits: 0 1 2 */
#include <errno.h>
#include <fcntl.h>

int main(int argc, char **argv)
{
	if (open(argv[1], O_RDONLY) >= 0)
		return 0;
	return errno == ENOENT ? 1 : 2;
}

/* What fstat says of standard output is symbolic: each kind of file has its paths, and so has the
 * file that is also the input. Replay makes a file or a pipe and cannot make the others.
 * options: --sym-files 1 2 --sym-stdout
 * tests: 7
 * exits: 1 2 3 4 5 6
 * ktest: stdout:, stdout_stat: */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int kind(void)
{
	struct stat in, out;
	if (stat("A", &in) || fstat(1, &out))
		return 9;
	switch (out.st_mode & S_IFMT) {
	case S_IFREG:
		if (write(1, "ab", 2) != 2 || lseek(1, 0, SEEK_CUR) != 2)
			return 8;
		if (out.st_dev != in.st_dev || out.st_ino != in.st_ino)
			return 2;
		puts("the input");
		return 1;
	case S_IFIFO:
		if (lseek(1, 0, SEEK_CUR) != -1 || errno != ESPIPE)
			return 8;
		return isatty(1) ? 8 : 3;
	case S_IFCHR:
		return isatty(1) ? 4 : 8;
	case S_IFDIR:
		return 5;
	default:
		return 6;
	}
}

int main(void)
{
	int found = kind();
	printf("%d\n", found);
	return found;
}

/* Descriptors that are open at the end.
 * options: --check-descriptors
 * native: descriptors */
#include <dirent.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int lose(void)
{
	return open("/dev/null", O_RDONLY); //~ descriptor: descriptor left open at the end | left open: descriptor 3, opened at
}

int main(void)
{
	int way = klee_range(0, 13, "way"), ends[2], fd;
	switch (way) {
	case 0:
		return lose() < 0;
	case 1:
		close(open("/dev/null", O_RDONLY));
		break;
	case 2:
		fopen("/dev/null", "w"); //~ descriptor: descriptor left open at the end | left open: descriptor 3
		break;
	case 3:
		fclose(fopen("/dev/null", "w"));
		break;
	case 4:
		fd = dup(1); //~ descriptor: descriptor left open at the end | left open: descriptor 3
		break;
	case 5:
		pipe(ends); //~ descriptor: descriptor left open at the end | left open: descriptor 4
		close(ends[0]);
		break;
	case 6:
		fd = open("/dev/null", O_RDONLY);
		/* Another one under the same number. */
		dup2(0, fd); //~ descriptor: descriptor left open at the end | left open: descriptor 3
		break;
	case 7:
		/* In place of a standard one. */
		fd = open("/dev/null", O_WRONLY);
		dup2(fd, 1);
		close(fd);
		break;
	case 8:
		fd = socket(AF_UNIX, SOCK_STREAM, 0); //~ descriptor: descriptor left open at the end | left open: descriptor 3
		exit(0);
	case 9:
		socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
		close(ends[0]);
		close(ends[1]);
		break;
	case 10:
		closedir(opendir("/"));
		break;
	case 11:
		opendir("/"); //~ descriptor: descriptor left open at the end | left open: descriptor 3
		break;
	case 12: {
		DIR *dir = opendir("/");
		fd = dup(dirfd(dir)); //~ descriptor: descriptor left open at the end | left open: descriptor 4
		closedir(dir);
		break;
	}
	}
	return 0;
}

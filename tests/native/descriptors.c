/* Descriptors that a native run leaves open, beside those that it was started with, end it with exit
 * code 1 and their number. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FDS = 256 };
static char inherited[FDS];

static int is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

__attribute__((constructor)) static void started(void)
{
	for (int fd = 0; fd < FDS; fd++)
		inherited[fd] = is_open(fd);
}

__attribute__((destructor)) static void ended(void)
{
	for (int fd = 3; fd < FDS; fd++)
		if (is_open(fd) && !inherited[fd]) {
			fprintf(stderr, "descriptor %d left open\n", fd);
			_exit(1);
		}
}

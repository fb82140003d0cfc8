/* Mappings of a file: private, which may be written, and shared, which is only read, as localtime does it.
 * And flags of open that directories do not take. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void show(const char *what, int flags, int protection, int fd)
{
	char *bytes = mmap(NULL, 12, protection, flags, fd, 0);
	if (bytes == MAP_FAILED) {
		printf("%s: %s\n", what, strerror(errno));
		return;
	}
	if (protection & PROT_WRITE)
		bytes[0] = 'H';
	printf("%s: %.5s, %d behind\n", what, bytes, bytes[11]);
	munmap(bytes, 12);
}

int main(void)
{
	int fd = open("plat-test-mapped", O_CREAT | O_RDWR | O_TRUNC, 0600);
	if (write(fd, "hello world", 11) != 11)
		return 1;
	close(fd);
	fd = open("plat-test-mapped", O_RDONLY);
	show("shared", MAP_SHARED, PROT_READ, fd);
	show("private", MAP_PRIVATE, PROT_READ | PROT_WRITE, fd);
	show("shared again", MAP_SHARED, PROT_READ, fd);
	close(fd);
	fd = open("plat-test-mapped", O_WRONLY);
	show("not readable", MAP_SHARED, PROT_READ, fd);
	close(fd);
	unlink("plat-test-mapped");
	fd = open(".", O_RDONLY | O_DIRECT);
	printf("%d %s\n", fd < 0, strerror(errno));
	time_t then = 86400;
	char text[32];
	strftime(text, sizeof text, "%Y-%m-%d %H:%M", localtime(&then));
	puts(text);
	return 0;
}

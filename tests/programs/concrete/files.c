/* Files: written, read back, seeked in, removed; opened again by the names of their descriptors. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Opens a descriptor again by its name. */
static int again(int fd, int flags)
{
	char name[32];
	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	return open(name, flags, 0600);
}

static void say(long result)
{
	printf("%ld %d\n", result, result < 0 ? errno : 0);
}

static void refused(int fd, int flags)
{
	say(again(fd, flags));
}

static void opened_again(void)
{
	char bytes[8] = {0};
	int fd = open("plat-test-file.txt", O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2], other;
	write(fd, "abcdef", 6);
	other = again(fd, O_RDONLY);
	say(read(other, bytes, 4));
	puts(bytes);
	say(lseek(other, 0, SEEK_CUR));
	say(lseek(fd, 0, SEEK_CUR));
	say(write(other, "x", 1));
	close(again(fd, O_WRONLY | O_TRUNC));
	printf("%ld\n", (long)read(other, bytes, 4));
	refused(fd, O_RDWR | O_CREAT | O_EXCL);
	refused(fd, O_RDONLY | O_DIRECTORY);
	refused(fd, O_RDONLY | O_NOFOLLOW);
	unlink("plat-test-file.txt");
	printf("%d\n", again(fd, O_RDWR) >= 0);
	refused(99, O_RDONLY);
	int directory = open(".", O_RDONLY | O_DIRECTORY);
	refused(directory, O_WRONLY);
	printf("%d\n", again(directory, O_RDONLY) >= 0);
	pipe(ends);
	other = again(ends[0], O_WRONLY);
	write(other, "pq", 2);
	printf("%ld ", (long)read(ends[0], bytes, 1));
	other = again(ends[1], O_RDONLY);
	printf("%ld ", (long)read(other, bytes + 1, 1));
	printf("%c%c\n", bytes[0], bytes[1]);
	say(write(other, "x", 1));
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	refused(ends[0], O_RDWR);
	refused(epoll_create1(0), O_RDWR);
	other = again(open("/dev/null", O_RDONLY), O_WRONLY);
	printf("%ld\n", (long)write(other, "x", 1));
}

/* Bytes that go from a file to others without the program's memory, and pieces at an offset. */
static void between(void)
{
	int from = open("plat-test-file.txt", O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2];
	char text[20] = "";
	struct iovec pieces[2] = { { "abc", 3 }, { "defgh", 5 } };
	say(pwritev(from, pieces, 2, 2));
	pieces[0].iov_base = text, pieces[1].iov_base = text + 10;
	say(preadv(from, pieces, 2, 1));
	printf("%.2s %s\n", text + 1, text + 10);
	say(preadv(from, pieces, 2, -1));
	pipe(ends);
	off_t at = 4;
	say(sendfile(ends[1], from, &at, 3));
	say(at);
	say(sendfile(ends[1], from, 0, 100));
	say(lseek(from, 0, SEEK_CUR));
	memset(text, 0, sizeof text);
	say(read(ends[0], text, sizeof text));
	printf("%.3s %s\n", text, text + 5);
	say(sendfile(from, ends[0], 0, 5));
	say(sendfile(ends[0], from, 0, 5));
	at = 8;
	fflush(stdout);
	say(sendfile(1, from, &at, 100));
	say(sendfile(99, from, 0, 5));
	say(preadv(ends[0], pieces, 2, 0));
	close(from);
	unlink("plat-test-file.txt");
}

int main(void)
{
	between();
	opened_again();
	FILE *f = fopen("plat-test-file.txt", "w");
	if (!f)
		return 1;
	for (int i = 0; i < 100; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	struct stat s;
	if (stat("plat-test-file.txt", &s))
		return 2;
	printf("%ld bytes, regular %d\n", (long)s.st_size, S_ISREG(s.st_mode) != 0);
	f = fopen("plat-test-file.txt", "r+");
	fseek(f, 7 * 10 + 5, SEEK_SET);
	fputc('X', f);
	rewind(f);
	char line[32];
	int lines = 0;
	while (fgets(line, sizeof line, f))
		if (strchr(line, 'X') || ++lines % 50 == 0)
			fputs(line, stdout);
	fclose(f);
	unlink("plat-test-file.txt");
	f = fopen("plat-test-file.txt", "r");
	printf("%d %s\n", f == NULL, strerror(errno));
	fputs("to standard error\n", stderr);
	return 3;
}

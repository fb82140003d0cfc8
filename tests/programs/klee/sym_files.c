/* A symbolic file and standard input, by descriptors and by streams.
 * options: A --sym-files 1 4 --sym-stdin 2
 * exits: 0 3 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char buf[8];
	struct stat st;
	int fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		return 1;
	if (fstat(fd, &st) == 0 && st.st_size < 4)
		return 2;
	ssize_t n = read(fd, buf, sizeof buf);
	close(fd);
	int c = getchar();
	if (n == 4 && buf[0] == '#' && c == '!')
		return 3;
	puts("plain");
	return 0;
}

/* arguments: --sym-socket 3
 * brute: 1
 *
 * A client that reads an answer in pieces. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(80) };
	inet_pton(AF_INET, "198.51.100.7", &address.sin_addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof address)) return 1;
	if (write(fd, "GET / HTTP/1.0\r\n\r\n", 18) != 18) return 2;
	char answer[16];
	size_t size = 0;
	ssize_t n;
	while ((n = read(fd, answer + size, 2)) > 0) {
		printf("%zd bytes\n", n);
		size += n;
	}
	close(fd);
	if (n < 0 || size != 3) return 3;
	int status = 0;
	for (size_t i = 0; i < size; i++) {
		if (answer[i] < '0' || answer[i] > '9') { puts("no number"); return 4; }
		status = status * 10 + (answer[i] - '0');
	}
	if (status == 200) puts("found");
	else if (status >= 500) { puts("broken"); if (status == 777) abort(); } //~ abort: abort failure
	else puts("other");
	/* The second connection finds nobody. */
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (!connect(fd, (struct sockaddr *)&address, sizeof address)) return 5;
	printf("error %d\n", errno);
	return status == 404;
}

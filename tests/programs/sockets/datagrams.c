/* arguments: --sym-sockets 2 2
 * brute: 2
 *
 * A service over datagrams: each of two is one message, and then it gives up after a time limit. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int main(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(69) }, from;
	struct timeval limit = { .tv_usec = 20000 };
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	if (bind(fd, (struct sockaddr *)&address, sizeof address)) return 1;
	int sum = 0, messages = 0;
	for (;;) {
		unsigned char message[4] = { 0 };
		socklen_t size = sizeof from;
		ssize_t n = recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&from, &size);
		if (n < 0) break;
		messages++;
		if (message[0] == messages) sum += message[1];
		printf("%zd bytes from port %d\n", n, ntohs(from.sin_port));
		if (sendto(fd, message, 1, 0, (struct sockaddr *)&from, size) != 1) return 2;
	}
	if (errno != EAGAIN) return 3;
	printf("%d messages, %s\n", messages, sum > 400 ? "much" : sum ? "some" : "nothing");
	return 0;
}

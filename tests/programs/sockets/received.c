/* arguments: --sym-sockets 2 2
 * brute: 2
 *
 * The same service, with recvmsg: it answers whom a message has come from. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
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
		struct iovec pieces[2] = { { message, 1 }, { message + 1, sizeof message - 1 } };
		struct msghdr header = { .msg_name = &from, .msg_namelen = sizeof from, .msg_iov = pieces, .msg_iovlen = 2 };
		ssize_t n = recvmsg(fd, &header, 0);
		if (n < 0) break;
		messages++;
		if (message[0] == messages) sum += message[1];
		printf("%zd bytes from port %d, family %d of %d bytes\n", n, ntohs(from.sin_port), from.sin_family, (int)header.msg_namelen);
		if (sendto(fd, message, 1, 0, (struct sockaddr *)&from, header.msg_namelen) != 1) return 2;
	}
	if (errno != EAGAIN) return 3;
	printf("%d messages, %s\n", messages, sum > 400 ? "much" : sum ? "some" : "nothing");
	return 0;
}

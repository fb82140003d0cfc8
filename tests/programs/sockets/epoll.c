/* arguments: --sym-sockets 2 1
 * brute: 2
 *
 * One thread, two clients, sockets that do not wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
	int server = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0), epoll = epoll_create1(0);
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_port = htons(8080) };
	if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 5)) return 1;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.fd = server };
	epoll_ctl(epoll, EPOLL_CTL_ADD, server, &event);
	char said[2];
	int count = 0, open = 0, tries = 0;
	while (count < 2 || open) {
		struct epoll_event events[4];
		int n = epoll_wait(epoll, events, 4, 1000);
		if (n <= 0 || ++tries > 20) return 2;
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			if (fd == server) {
				int client;
				while ((client = accept4(server, 0, 0, SOCK_NONBLOCK)) >= 0) {
					event = (struct epoll_event){ .events = EPOLLIN, .data.fd = client };
					epoll_ctl(epoll, EPOLL_CTL_ADD, client, &event);
					open++;
				}
				if (errno != EAGAIN) return 3;
				continue;
			}
			char byte;
			ssize_t got = read(fd, &byte, 1);
			if (got == 1) said[count++] = byte;
			else if (got == 0) { close(fd); open--; }
			else return 4;
		}
	}
	if (said[0] == 'a' && said[1] == 'b') puts("in order");
	else if (said[0] > said[1]) puts("falling");
	else puts("rising");
	return epoll_wait(epoll, &event, 1, 0);
}

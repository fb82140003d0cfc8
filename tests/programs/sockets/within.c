/* Connections within a program, and what their calls return. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void show(const char *what, long result)
{
	if (result < 0) printf("%s: error %d\n", what, errno);
	else printf("%s: %ld\n", what, result);
}

static short ready(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP };
	poll(&one, 1, 0);
	return one.revents;
}

static void *echo(void *argument)
{
	int server = *(int *)argument, client = accept(server, 0, 0);
	char line[64];
	ssize_t n;
	while ((n = recv(client, line, sizeof line, 0)) > 0) {
		for (ssize_t i = 0; i < n; i++) line[i] ^= 32;
		send(client, line, n, 0);
	}
	close(client);
	return 0;
}

static void over_the_network(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	show("not bound", listen(server, 3));
	getsockname(server, (struct sockaddr *)&address, &size);
	printf("a port: %d, of %d bytes\n", address.sin_port != 0, (int)size);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	pthread_t thread;
	pthread_create(&thread, 0, echo, &server);
	show("connect", connect(client, (struct sockaddr *)&address, size));
	struct sockaddr_in peer;
	socklen_t peer_size = sizeof peer;
	show("getpeername", getpeername(client, (struct sockaddr *)&peer, &peer_size));
	printf("the same port: %d\n", peer.sin_port == address.sin_port);
	struct tcp_info info;
	socklen_t info_size = sizeof info;
	show("TCP_INFO", getsockopt(client, IPPROTO_TCP, TCP_INFO, &info, &info_size));
	printf("whole: %d, established: %d\n", info_size == sizeof info, info.tcpi_state == TCP_ESTABLISHED);
	info_size = sizeof info;
	getsockopt(server, IPPROTO_TCP, TCP_INFO, &info, &info_size);
	printf("listens: %d\n", info.tcpi_state == TCP_LISTEN);
	show("again", connect(client, (struct sockaddr *)&address, size));
	char text[32] = "";
	struct iovec pieces[2] = { { "hel", 3 }, { "lo", 2 } };
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
	show("sendmsg", sendmsg(client, &message, 0));
	show("all", recv(client, text, 5, MSG_WAITALL));
	puts(text);
	shutdown(client, SHUT_WR);
	show("the end", recv(client, text, 5, 0));
	pthread_join(thread, 0);
	size = sizeof peer;
	show("after both ends", getpeername(client, (struct sockaddr *)&peer, &size));
	close(client);
	close(server);
	client = socket(AF_INET, SOCK_STREAM, 0);
	show("nobody listens", connect(client, (struct sockaddr *)&address, sizeof address));
	show("no address", getpeername(client, (struct sockaddr *)&peer, &size));
	close(client);
}

static void pairs(void)
{
	int ends[2];
	char text[16] = "";
	show("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	printf("ready %x\n", ready(ends[0]));
	show("nothing", recv(ends[0], text, 1, MSG_DONTWAIT));
	show("write", write(ends[1], "abcdef", 6));
	printf("ready %x\n", ready(ends[0]));
	int waiting;
	ioctl(ends[0], FIONREAD, &waiting);
	printf("%d wait\n", waiting);
	show("peek", recv(ends[0], text, 2, MSG_PEEK));
	show("part", read(ends[0], text, 4));
	puts(text);
	show("rest", read(ends[0], text, 16));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	show("empty", read(ends[0], text, 16));
	show("seek", lseek(ends[0], 0, SEEK_SET));
	struct stat status;
	fstat(ends[0], &status);
	printf("a socket: %d\n", S_ISSOCK(status.st_mode));
	shutdown(ends[1], SHUT_WR);
	printf("ready %x\n", ready(ends[0]));
	show("at the end", read(ends[0], text, 16));
	show("after shutdown", send(ends[1], "x", 1, MSG_NOSIGNAL));
	fd_set set;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	show("select", select(ends[0] + 1, &set, 0, 0, 0));
	printf("in the set: %d\n", FD_ISSET(ends[0], &set));
	close(ends[1]);
	printf("ready %x\n", ready(ends[0]));
	signal(SIGPIPE, SIG_IGN);
	show("gone", write(ends[0], "x", 1));
	close(ends[0]);
	show("closed", send(ends[0], "x", 1, 0));
}

static void messages(void)
{
	int ends[2];
	char text[16] = "";
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
	send(ends[0], "one", 3, 0);
	send(ends[0], "second", 6, 0);
	show("first", recv(ends[1], text, sizeof text, 0));
	show("cut", recv(ends[1], text, 2, MSG_TRUNC));
	show("none left", recv(ends[1], text, 2, MSG_DONTWAIT));
	close(ends[0]);
	show("at the end", recv(ends[1], text, 2, 0));
	close(ends[1]);
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "service" };
	int one = socket(AF_UNIX, SOCK_DGRAM, 0), other = socket(AF_UNIX, SOCK_DGRAM, 0);
	show("bind", bind(one, (struct sockaddr *)&name, sizeof name));
	show("taken", bind(other, (struct sockaddr *)&name, sizeof name));
	show("sendto", sendto(other, "data", 4, 0, (struct sockaddr *)&name, sizeof name));
	show("received", recv(one, text, sizeof text, 0));
	show("no address", send(other, "data", 4, 0));
	close(one);
	close(other);
}

static void options(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), value = 0;
	socklen_t size = sizeof value;
	show("type", getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &size));
	printf("%d\n", value);
	show("error", getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &size));
	printf("%d\n", value);
	value = 1;
	struct linger linger = { 1, 1 };
	size = sizeof linger;
	show("linger", getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &size));
	printf("%d %d of %d\n", linger.l_onoff, linger.l_linger, (int)size);
	show("nodelay", setsockopt(fd, IPPROTO_TCP, 1, &value, sizeof value));
	show("levels", getsockopt(fd, IPPROTO_IP, IP_TTL, &value, &size));
	show("levels", getsockopt(fd, IPPROTO_UDP, 1, &value, &size));
	show("levels", getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &value, &size));
	show("levels", setsockopt(fd, 222, 1, &value, sizeof value));
	int datagrams = socket(AF_INET, SOCK_DGRAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
	struct tcp_info info;
	size = sizeof info;
	show("TCP_INFO", getsockopt(datagrams, IPPROTO_TCP, TCP_INFO, &info, &size));
	show("TCP_INFO", getsockopt(local, IPPROTO_TCP, TCP_INFO, &info, &size));
	show("nodelay", setsockopt(datagrams, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value));
	show("nodelay", setsockopt(local, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value));
	close(datagrams);
	close(local);
	show("no socket", setsockopt(0, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value));
	show("family", socket(99, SOCK_STREAM, 0));
	show("accept", accept(fd, 0, 0));
	show("shutdown", shutdown(fd, SHUT_RDWR));
	close(fd);
}

int main(void)
{
	over_the_network();
	pairs();
	messages();
	options();
	return 0;
}

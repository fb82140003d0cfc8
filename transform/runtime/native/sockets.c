/* Sockets of a native replay: loaded before a program (LD_PRELOAD), it gives the program the peers of
 * a test case in place of a network.
 *
 * Every socket is one of the Unix family, under a name that stands for its address and is of this
 * replay alone. So waiting, polling and connections within the program are the kernel's, and
 * nothing goes out. $PLAT_SOCKETS is the directory with what each peer sends, in files socket00,
 * socket01, ...: when the program listens, all peers that are left connect; when it connects to an
 * address at which it does not listen itself, the next one answers. Those of files server00, ...
 * answer before others, and do not connect. Datagrams likewise. A peer sends all at once, and then
 * nothing more; what it receives is dropped. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { FDS = 1024, FIRST_PORT = 32768, OUTSIDE_PORT = 49152, NAMES_PORT = 53 };

/* What a descriptor that is a socket would be. */
struct known {
	int family, type;
	struct sockaddr_storage local, remote;
	bool has_remote, writes_no_more;
};

static struct known known[FDS];
static char directory[256];
static unsigned session;
/* What all processes of the program share: the next peer, the next that only answers, and the next command. */
static struct { atomic_int peer, server, command; } *shared;
/* What the numbers of peers that only answer begin with. */
enum { SERVERS = 1000 };

static unsigned hash(const void *bytes, size_t n)
{
	unsigned h = 2166136261u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)bytes)[i]) * 16777619u;
	return h;
}

__attribute__((constructor)) static void load(void)
{
	const char *place = getenv("PLAT_SOCKETS");
	snprintf(directory, sizeof directory, "%s", place ? place : "");
	session = hash(directory, strlen(directory));
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!place || shared == MAP_FAILED) {
		fputs("libplatSockets: PLAT_SOCKETS names no directory\n", stderr);
		_exit(127);
	}
	/* The program sees the environment of its path. */
	unsetenv("PLAT_SOCKETS");
	unsetenv("LD_PRELOAD");
}

static struct known *of(int fd)
{
	return fd >= 0 && fd < FDS && known[fd].family ? &known[fd] : NULL;
}

/* Addresses. */

static int port_of(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)a)->sin_port);
	return a->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)a)->sin6_port) : -1;
}

static void set_port(struct sockaddr_storage *a, int port)
{
	if (a->ss_family == AF_INET)
		((struct sockaddr_in *)a)->sin_port = htons((uint16_t)port);
	else
		((struct sockaddr_in6 *)a)->sin6_port = htons((uint16_t)port);
}

static bool is_any(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr == 0;
	return a->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static bool is_own(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return is_any(a) || ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	if (a->ss_family == AF_INET6)
		return is_any(a) || IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return true;
}

/* This machine's own address where it was left open. */
static void loopback(struct sockaddr_storage *a)
{
	if (!is_any(a))
		return;
	if (a->ss_family == AF_INET)
		((struct sockaddr_in *)a)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)a)->sin6_addr = in6addr_loopback;
}

/* The address of a peer: 192.0.2.1 or 2001:db8::1, which are for examples. */
static struct sockaddr_storage outside(int family, int number)
{
	struct sockaddr_storage a = { .ss_family = (sa_family_t)family };
	if (family == AF_INET)
		inet_pton(AF_INET, "192.0.2.1", &((struct sockaddr_in *)&a)->sin_addr);
	else if (family == AF_INET6)
		inet_pton(AF_INET6, "2001:db8::1", &((struct sockaddr_in6 *)&a)->sin6_addr);
	if (family != AF_UNIX)
		set_port(&a, OUTSIDE_PORT + number);
	return a;
}

static socklen_t size_of(const struct sockaddr_storage *a)
{
	switch (a->ss_family) {
	case AF_INET: return sizeof(struct sockaddr_in);
	case AF_INET6: return sizeof(struct sockaddr_in6);
	default: {
		const char *path = ((const struct sockaddr_un *)a)->sun_path;
		size_t n = strnlen(path, sizeof ((struct sockaddr_un *)0)->sun_path);
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	}
	}
}

static void give(const struct sockaddr_storage *a, struct sockaddr *to, socklen_t *room)
{
	if (!to || !room)
		return;
	socklen_t size = size_of(a);
	memcpy(to, a, size < *room ? size : *room);
	*room = size;
}

static struct sockaddr_storage taken(const struct sockaddr *from, socklen_t size)
{
	struct sockaddr_storage a = { 0 };
	memcpy(&a, from, size < sizeof a ? size : sizeof a);
	return a;
}

/* Names: a kind, a number, and for sockets the type. */

static socklen_t name(struct sockaddr_un *un, const char *kind, int type, unsigned number)
{
	memset(un, 0, sizeof *un);
	un->sun_family = AF_UNIX;
	int n = snprintf(un->sun_path + 1, sizeof un->sun_path - 1, "plat-%08x-%s-%d-%u", session, kind, type, number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static socklen_t name_of(struct sockaddr_un *un, int type, const struct sockaddr_storage *a)
{
	int port = port_of(a);
	if (port >= 0)
		return name(un, "port", type, (unsigned)port);
	const struct sockaddr_un *own = (const struct sockaddr_un *)a;
	return name(un, "path", type, hash(own->sun_path, sizeof own->sun_path));
}

/* The address that a name stands for, in a family. */
static bool meaning(const struct sockaddr_un *un, socklen_t size, int family, struct sockaddr_storage *a)
{
	char text[sizeof un->sun_path] = "";
	unsigned of_session, number;
	char kind[8];
	int type;
	size_t head = offsetof(struct sockaddr_un, sun_path) + 1;
	if (size > head)
		memcpy(text, un->sun_path + 1, size - head);
	if (sscanf(text, "plat-%x-%7[a-z]-%d-%u", &of_session, kind, &type, &number) != 4)
		return false;
	if (!strcmp(kind, "out")) {
		*a = outside(family, (int)number);
		return true;
	}
	*a = (struct sockaddr_storage){ .ss_family = (sa_family_t)family };
	if (family != AF_UNIX) {
		set_port(a, (int)number);
		loopback(a);
	}
	return true;
}

static int raw(int type) { return (int)syscall(SYS_socket, AF_UNIX, type, 0); }

static int raw_bind(int fd, const struct sockaddr_un *un, socklen_t size)
{
	return (int)syscall(SYS_bind, fd, un, size);
}

static int raw_connect(int fd, const struct sockaddr_un *un, socklen_t size)
{
	return (int)syscall(SYS_connect, fd, un, size);
}

/* Peers. */

struct peer { int fd; char *bytes; size_t size, sent; bool messages; };

static void *serve(void *argument)
{
	struct peer *peer = argument;
	char dropped[4096];
	while (peer->sent < peer->size) {
		ssize_t n = send(peer->fd, peer->bytes + peer->sent, peer->size - peer->sent, MSG_NOSIGNAL);
		if (n <= 0)
			break;
		peer->sent += (size_t)n;
	}
	if (!peer->messages)
		shutdown(peer->fd, SHUT_WR);
	while (read(peer->fd, dropped, sizeof dropped) > 0)
		;
	return NULL;
}

/* The peer at the other end of a descriptor sends what it has, as far as there is room at once. */
static void begin(int fd, char *bytes, size_t size, bool messages)
{
	struct peer *peer = calloc(1, sizeof *peer);
	pthread_t thread;
	sigset_t all, old;
	if (!peer)
		return;
	*peer = (struct peer){ .fd = fd, .bytes = bytes, .size = size, .messages = messages };
	ssize_t n = size ? send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
	peer->sent = n > 0 ? (size_t)n : 0;
	if (peer->sent == size && !messages)
		shutdown(fd, SHUT_WR);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (!pthread_create(&thread, NULL, serve, peer))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The next peer of a kind: its number, and what it sends; -1 if there is none. */
static int next_of(atomic_int *which, const char *kind, char **bytes, size_t *size)
{
	char path[300];
	struct stat status;
	int number = atomic_fetch_add(which, 1);
	snprintf(path, sizeof path, "%s/%s%02d", directory, kind, number);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) || !(*bytes = malloc((size_t)status.st_size + 1))) {
		atomic_fetch_sub(which, 1);
		return -1;
	}
	ssize_t n = read(fd, *bytes, (size_t)status.st_size);
	*size = n > 0 ? (size_t)n : 0;
	close(fd);
	return number;
}

/* The next peer that connects, or that answers the program. */
static int next(bool answers, char **bytes, size_t *size)
{
	int server = answers ? next_of(&shared->server, "server", bytes, size) : -1;
	return server >= 0 ? SERVERS + server : next_of(&shared->peer, "socket", bytes, size);
}

/* A descriptor out of the program's way. */
static int aside(int fd)
{
	int other = fcntl(fd, F_DUPFD_CLOEXEC, FDS / 2);
	if (other < 0)
		return fd;
	close(fd);
	return other;
}

/* All peers that are left connect to a socket that listens under this name. */
static void all_connect(const struct sockaddr_un *to, socklen_t to_size, int type)
{
	char *bytes;
	size_t size;
	int number;
	while ((number = next(false, &bytes, &size)) >= 0) {
		struct sockaddr_un own;
		socklen_t own_size = name(&own, "out", type, (unsigned)number);
		int fd = aside(raw(type));
		raw_bind(fd, &own, own_size);
		if (!raw_connect(fd, to, to_size))
			begin(fd, bytes, size, false);
	}
}

/* Each peer that is left sends a datagram to a socket of this name, from `from` or its own address. */
static void all_send(const struct sockaddr_un *to, socklen_t to_size, int from)
{
	char *bytes;
	size_t size;
	int number;
	while ((number = next(from >= 0, &bytes, &size)) >= 0) {
		int fd = from;
		if (fd < 0) {
			struct sockaddr_un own;
			socklen_t own_size = name(&own, "out", SOCK_DGRAM, (unsigned)number);
			fd = aside(raw(SOCK_DGRAM));
			raw_bind(fd, &own, own_size);
			begin(fd, NULL, 0, true);
		}
		sendto(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)to, to_size);
		free(bytes);
	}
}

/* Gives a socket a port of its own. */
static int bind_any(int fd, struct known *k)
{
	for (int port = FIRST_PORT; port < OUTSIDE_PORT; port++) {
		struct sockaddr_un un;
		k->local.ss_family = (sa_family_t)k->family;
		socklen_t size = name(&un, k->family == AF_UNIX ? "auto" : "port", k->type, (unsigned)port);
		if (!raw_bind(fd, &un, size)) {
			if (k->family != AF_UNIX)
				set_port(&k->local, port);
			return 0;
		}
	}
	errno = EADDRINUSE;
	return -1;
}

static bool has_name(int fd)
{
	struct sockaddr_un un;
	socklen_t size = sizeof un;
	return !syscall(SYS_getsockname, fd, &un, &size) && size > sizeof un.sun_family;
}

/* What programs call. */

int socket(int family, int type, int protocol)
{
	int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
	(void)protocol;
	if (family != AF_UNIX && family != AF_INET && family != AF_INET6) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	if (kind != SOCK_STREAM && kind != SOCK_DGRAM && !(kind == SOCK_SEQPACKET && family == AF_UNIX)) {
		errno = ESOCKTNOSUPPORT;
		return -1;
	}
	int fd = raw(type);
	if (fd >= 0 && fd < FDS)
		known[fd] = (struct known){ .family = family, .type = kind };
	return fd;
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	struct known *k = of(fd);
	struct sockaddr_un un;
	if (!k)
		return (int)syscall(SYS_bind, fd, address, size);
	struct sockaddr_storage a = taken(address, size);
	k->local = a;
	if (!port_of(&a))
		return bind_any(fd, k);
	socklen_t un_size = name_of(&un, k->type, &a);
	if (raw_bind(fd, &un, un_size))
		return -1;
	if (k->type == SOCK_DGRAM && k->family != AF_UNIX && port_of(&a) != NAMES_PORT)
		all_send(&un, un_size, -1);
	return 0;
}

int listen(int fd, int backlog)
{
	struct known *k = of(fd);
	struct sockaddr_un un;
	if (k && k->family != AF_UNIX && !has_name(fd) && bind_any(fd, k))
		return -1;
	if (syscall(SYS_listen, fd, k ? SOMAXCONN : backlog))
		return -1;
	if (k) {
		socklen_t size = sizeof un;
		syscall(SYS_getsockname, fd, &un, &size);
		all_connect(&un, size, k->type);
	}
	return 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *room, int flags)
{
	struct known *k = of(fd);
	struct sockaddr_un un;
	socklen_t size = sizeof un;
	if (!k)
		return (int)syscall(SYS_accept4, fd, address, room, flags);
	int new = (int)syscall(SYS_accept4, fd, &un, &size, flags);
	if (new < 0 || new >= FDS)
		return new;
	known[new] = (struct known){ .family = k->family, .type = k->type, .local = k->local, .has_remote = true };
	loopback(&known[new].local);
	if (!meaning(&un, size, k->family, &known[new].remote))
		known[new].remote.ss_family = (sa_family_t)k->family;
	give(&known[new].remote, address, room);
	return new;
}

int accept(int fd, struct sockaddr *address, socklen_t *room) { return accept4(fd, address, room, 0); }

/* The next peer answers a connection. */
static int connect_outside(int fd, const struct known *k)
{
	char *bytes;
	size_t bytes_size;
	int number = next(true, &bytes, &bytes_size);
	if (number < 0) {
		errno = ECONNREFUSED;
		return -1;
	}
	struct sockaddr_un un;
	socklen_t size = name(&un, "out", k->type, (unsigned)number);
	int listener = raw(k->type);
	if (raw_bind(listener, &un, size) || syscall(SYS_listen, listener, 1) || raw_connect(fd, &un, size))
		return -1;
	begin(aside((int)syscall(SYS_accept4, listener, NULL, NULL, 0)), bytes, bytes_size, false);
	close(listener);
	return 0;
}

/* The peers that are left send datagrams to a socket that has connected to, or sent to, an address. */
static int sink(int fd, struct known *k, const struct sockaddr_storage *to, bool connects)
{
	struct sockaddr_un own, un;
	socklen_t own_size = sizeof own, size = name_of(&un, SOCK_DGRAM, to);
	int peer = raw(SOCK_DGRAM);
	if (raw_bind(peer, &un, size)) {
		close(peer);
		return 0;
	}
	peer = aside(peer);
	if (!has_name(fd) && bind_any(fd, k))
		return -1;
	syscall(SYS_getsockname, fd, &own, &own_size);
	if (connects && raw_connect(fd, &un, size))
		return -1;
	if (port_of(to) != NAMES_PORT)
		all_send(&own, own_size, peer);
	begin(peer, NULL, 0, true);
	return 0;
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
	struct known *k = of(fd);
	struct sockaddr_un un;
	if (!k)
		return (int)syscall(SYS_connect, fd, address, size);
	struct sockaddr_storage a = taken(address, size);
	socklen_t un_size = name_of(&un, k->type, &a);
	bool network = k->family != AF_UNIX;
	if (network && !has_name(fd) && bind_any(fd, k))
		return -1;
	int result = is_own(&a) ? raw_connect(fd, &un, un_size) : (errno = ECONNREFUSED, -1);
	if (result && errno == ECONNREFUSED && network)
		result = k->type == SOCK_DGRAM ? sink(fd, k, &a, true) : connect_outside(fd, k);
	else if (result && errno == ECONNREFUSED && ((struct sockaddr_un *)&a)->sun_path[0])
		errno = ENOENT;
	if (!result) {
		k->remote = a;
		k->has_remote = true;
		loopback(&k->local);
	}
	return result;
}

int getsockname(int fd, struct sockaddr *address, socklen_t *room)
{
	struct known *k = of(fd);
	if (!k)
		return (int)syscall(SYS_getsockname, fd, address, room);
	k->local.ss_family = (sa_family_t)k->family;
	give(&k->local, address, room);
	return 0;
}

int shutdown(int fd, int how)
{
	struct known *k = of(fd);
	if (k && k->family != AF_UNIX && !k->has_remote) {
		errno = ENOTCONN;
		return -1;
	}
	int result = (int)syscall(SYS_shutdown, fd, how);
	if (k && !result && how != SHUT_RD)
		k->writes_no_more = true;
	return result;
}

/* A connection of a network has no peer any more when both ends have finished. */
static bool finished(int fd, const struct known *k)
{
	struct pollfd one = { .fd = fd, .events = POLLRDHUP };
	return k->family != AF_UNIX && k->type == SOCK_STREAM && k->writes_no_more && poll(&one, 1, 0) == 1
		&& one.revents & (POLLRDHUP | POLLHUP);
}

int getpeername(int fd, struct sockaddr *address, socklen_t *room)
{
	struct known *k = of(fd);
	if (!k)
		return (int)syscall(SYS_getpeername, fd, address, room);
	if (!k->has_remote || finished(fd, k)) {
		errno = ENOTCONN;
		return -1;
	}
	give(&k->remote, address, room);
	return 0;
}

/* As on the path: the error for options of a level that a socket does not have, 0 if it has it. `other` is what
 * Linux says of others of IPv4. */
static int refuses(const struct known *k, int level, int other)
{
	if (level == SOL_SOCKET)
		return 0;
	if (k->family == AF_UNIX)
		return EOPNOTSUPP;
	if (level == IPPROTO_IP || (level == IPPROTO_TCP && k->type == SOCK_STREAM)
		|| (level == IPPROTO_UDP && k->type == SOCK_DGRAM) || (level == IPPROTO_IPV6 && k->family == AF_INET6))
		return 0;
	return k->family == AF_INET6 ? ENOPROTOOPT : other;
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	struct known *k = of(fd);
	int why = k ? refuses(k, level, ENOPROTOOPT) : 0;
	if (why) {
		errno = why;
		return -1;
	}
	int result = (int)syscall(SYS_setsockopt, fd, level, option, value, size);
	return k ? 0 : result;
}

enum { TCP_INFO_SIZE = 240 }; /* Linux 6.1 */

int getsockopt(int fd, int level, int option, void *value, socklen_t *room)
{
	struct known *k = of(fd);
	int why = k ? refuses(k, level, EOPNOTSUPP) : 0;
	if (why) {
		errno = why;
		return -1;
	}
	if (k && level == SOL_SOCKET && option == SO_DOMAIN && *room >= sizeof k->family) {
		memcpy(value, &k->family, sizeof k->family);
		*room = sizeof k->family;
		return 0;
	}
	/* As on the path: nothing was measured. */
	if (k && level == IPPROTO_TCP && option == TCP_INFO) {
		int listens = 0;
		syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &(socklen_t) { sizeof listens });
		if (*room > TCP_INFO_SIZE)
			*room = TCP_INFO_SIZE;
		memset(value, 0, *room);
		if (*room)
			*(unsigned char *)value = listens ? TCP_LISTEN : k->has_remote ? TCP_ESTABLISHED : TCP_CLOSE;
		return 0;
	}
	int result = (int)syscall(SYS_getsockopt, fd, level, option, value, room);
	if (result && k && *room >= sizeof(int)) {
		memset(value, 0, sizeof(int));
		*room = sizeof(int);
		return 0;
	}
	return result;
}

ssize_t sendto(int fd, const void *bytes, size_t n, int flags, const struct sockaddr *address, socklen_t size)
{
	struct known *k = of(fd);
	struct sockaddr_un un;
	if (!k || !address)
		return syscall(SYS_sendto, fd, bytes, n, flags, address, size);
	struct sockaddr_storage a = taken(address, size);
	socklen_t un_size = name_of(&un, k->type, &a);
	if (!has_name(fd) && bind_any(fd, k))
		return -1;
	ssize_t sent = syscall(SYS_sendto, fd, bytes, n, flags, &un, un_size);
	if (sent >= 0 || k->family == AF_UNIX || errno != ECONNREFUSED)
		return sent;
	return sink(fd, k, &a, false) ? -1 : (ssize_t)n;
}

ssize_t recvfrom(int fd, void *bytes, size_t n, int flags, struct sockaddr *address, socklen_t *room)
{
	struct known *k = of(fd);
	struct sockaddr_un un;
	socklen_t size = sizeof un;
	if (!k || !address)
		return syscall(SYS_recvfrom, fd, bytes, n, flags, address, room);
	ssize_t got = syscall(SYS_recvfrom, fd, bytes, n, flags, &un, &size);
	struct sockaddr_storage from;
	if (got >= 0 && k->type == SOCK_DGRAM && meaning(&un, size, k->family, &from))
		give(k->has_remote ? &k->remote : &from, address, room);
	return got;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct known *k = of(fd);
	if (!k || !message || !message->msg_name)
		return syscall(SYS_recvmsg, fd, message, flags);
	struct sockaddr_un un;
	struct sockaddr_storage from;
	struct msghdr own = *message;
	own.msg_name = &un;
	own.msg_namelen = sizeof un;
	ssize_t got = syscall(SYS_recvmsg, fd, &own, flags);
	if (got < 0)
		return got;
	socklen_t room = message->msg_namelen;
	if (k->type == SOCK_DGRAM && meaning(&un, own.msg_namelen, k->family, &from))
		give(k->has_remote ? &k->remote : &from, message->msg_name, &room);
	else
		room = 0;
	message->msg_namelen = room;
	message->msg_controllen = own.msg_controllen;
	message->msg_flags = own.msg_flags;
	return got;
}

/* Other programs: they are not run and end with the statuses of the test case (the file `system`), the
 * last one for all that follow. */

/* What a program prints, to a descriptor: the file `command` with its number, or the last one. */
static void print_output(int to, int at)
{
	char path[300], text[4096];
	int fd = -1;
	for (; fd < 0 && at >= 0; at--) {
		snprintf(path, sizeof path, "%s/command%d", directory, at);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	ssize_t n;
	while (fd >= 0 && (n = read(fd, text, sizeof text)) > 0)
		if (write(to, text, n) != n)
			break;
	if (fd >= 0)
		close(fd);
}

/* The status of the next program, which prints to this descriptor. */
static int next_status(int to)
{
	char path[300];
	unsigned char status = 127;
	snprintf(path, sizeof path, "%s/system", directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC), at = atomic_fetch_add(&shared->command, 1);
	print_output(to, at);
	if (fd < 0) {
		fprintf(stderr, "libplatSockets: the test case has no result of a command\n");
		_exit(127);
	}
	while (at >= 0 && pread(fd, &status, 1, at) != 1)
		at--;
	close(fd);
	return status;
}

static int another_program(void) { _exit(next_status(1)); }

int execve(const char *path, char *const argv[], char *const envp[])
{
	(void)path, (void)argv, (void)envp;
	return another_program();
}

int execv(const char *path, char *const argv[]) { (void)path, (void)argv; return another_program(); }

/* What looks for a program by its name finds none without a name. */
static bool is_nameless(const char *name)
{
	if (!*name)
		errno = ENOENT;
	return !*name;
}

int execvp(const char *name, char *const argv[]) { return is_nameless(name) ? -1 : execv(name, argv); }

int execvpe(const char *name, char *const argv[], char *const envp[])
{
	return is_nameless(name) ? -1 : execve(name, argv, envp);
}

int execl(const char *path, const char *arg, ...) { (void)path, (void)arg; return another_program(); }
int execlp(const char *name, const char *arg, ...) { (void)arg; return is_nameless(name) ? -1 : another_program(); }
int execle(const char *path, const char *arg, ...) { (void)path, (void)arg; return another_program(); }

int system(const char *command) { return command ? next_status(1) << 8 : 1; }

/* A process that ends at once. */
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	(void)actions, (void)attributes;
	pid_t child = fork();
	if (!child)
		execve(path, argv, envp);
	if (pid)
		*pid = child;
	return child < 0 ? errno : 0;
}

int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	return is_nameless(name) ? ENOENT : posix_spawn(pid, name, actions, attributes, argv, envp);
}

static int statuses[FDS];

FILE *popen(const char *command, const char *mode)
{
	(void)command;
	int ends[2];
	if (*mode != 'r') {
		FILE *stream = fopen("/dev/null", "w");
		if (stream && fileno(stream) < FDS)
			statuses[fileno(stream)] = next_status(1);
		return stream;
	}
	/* What it prints fits in the pipe. */
	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	int status = next_status(ends[1]);
	close(ends[1]);
	FILE *stream = fdopen(ends[0], "r");
	if (stream && ends[0] < FDS)
		statuses[ends[0]] = status;
	return stream;
}

int pclose(FILE *stream)
{
	int fd = fileno(stream);
	fclose(stream);
	return fd >= 0 && fd < FDS ? statuses[fd] << 8 : -1;
}

/* Names of hosts: those that need no network. */

static bool is_near(const char *host)
{
	unsigned char number[16];
	return !host || !strcmp(host, "localhost") || inet_pton(AF_INET, host, number) == 1
		|| inet_pton(AF_INET6, host, number) == 1;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	if (!is_near(host))
		return EAI_AGAIN;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real ? real(host, service, hints, found) : EAI_SYSTEM;
}

struct hostent *gethostbyname(const char *host)
{
	static struct hostent *(*real)(const char *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "gethostbyname");
	if (real && is_near(host))
		return real(host);
	h_errno = TRY_AGAIN;
	return NULL;
}

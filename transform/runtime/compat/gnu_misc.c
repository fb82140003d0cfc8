/* Small GNU additions. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

void *memfrob(void *s, size_t n)
{
	for (unsigned char *at = s; n--;) *at++ ^= 42;
	return s;
}

int dysize(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365; }
int rpmatch(const char *answer) { return *answer == 'y' || *answer == 'Y' ? 1 : *answer == 'n' || *answer == 'N' ? 0 : -1; }
char *tmpnam_r(char *name) { return name ? tmpnam(name) : 0; }
int getpt(void) { return posix_openpt(O_RDWR); }
off_t llseek(int fd, off_t offset, int whence) { return lseek(fd, offset, whence); }
int pthread_yield(void) { return sched_yield(); }

int isfdtype(int fd, int type)
{
	struct stat status;
	if (fstat(fd, &status)) return -1;
	return (status.st_mode & S_IFMT) == type;
}

int timespec_getres(struct timespec *resolution, int base)
{ return base == TIME_UTC && (!resolution || !clock_getres(CLOCK_REALTIME, resolution)) ? base : 0; }

ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
	if (flags) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return offset == -1 ? readv(fd, parts, count) : preadv(fd, parts, count, offset);
}

ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
	if (flags) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return offset == -1 ? writev(fd, parts, count) : pwritev(fd, parts, count, offset);
}
ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{ return preadv2(fd, parts, count, offset, flags); }
ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{ return pwritev2(fd, parts, count, offset, flags); }

/* Whom a lock prefers is kept and told: which thread goes on is the schedule's choice, as it is where
 * several wait. */
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attribute, int kind)
{
	if (kind < 0 || kind > 2) return EINVAL;
	attribute->__attr[1] = kind;
	return 0;
}
int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attribute, int *kind)
{
	*kind = attribute->__attr[1];
	return 0;
}

/* Sets of signals as masks of 32 bits. */
static int mask(int how, const sigset_t *set)
{
	sigset_t old;
	sigprocmask(how, set, &old);
	int bits = 0;
	for (int at = 1; at <= 32; at++)
		if (sigismember(&old, at) == 1) bits |= 1u << (at - 1);
	return bits;
}
static sigset_t of(int bits)
{
	sigset_t set;
	sigemptyset(&set);
	for (int at = 1; at < 32; at++)
		if (bits & 1u << (at - 1)) sigaddset(&set, at);
	return set;
}
int sigblock(int bits) { sigset_t set = of(bits); return mask(SIG_BLOCK, &set); }
int sigsetmask(int bits) { sigset_t set = of(bits); return mask(SIG_SETMASK, &set); }
int siggetmask(void) { return mask(SIG_BLOCK, 0); }

/* A tree whose visitor gets an argument. */
struct node { const void *key; void *child[2]; };
static void visit(const struct node *node, void (*action)(const void *, VISIT, void *), void *closure)
{
	if (!node) return;
	if (!node->child[0] && !node->child[1]) {
		action(node, leaf, closure);
		return;
	}
	action(node, preorder, closure);
	visit(node->child[0], action, closure);
	action(node, postorder, closure);
	visit(node->child[1], action, closure);
	action(node, endorder, closure);
}
void twalk_r(const void *root, void (*action)(const void *, VISIT, void *), void *closure)
{
	if (root && action) visit(root, action, closure);
}

/* The next entry of a file of users or groups, in the caller's buffer. */
#define COPY(to, from) \
	do { \
		size_t size = strlen(from) + 1; \
		if (size > room) return errno = ERANGE; \
		to = memcpy(at, from, size); \
		at += size; \
		room -= size; \
	} while (0)

static int copy_user(const struct passwd *from, struct passwd *to, char *at, size_t room, struct passwd **result)
{
	*result = 0;
	if (!from) return ENOENT;
	*to = *from;
	COPY(to->pw_name, from->pw_name);
	COPY(to->pw_passwd, from->pw_passwd);
	COPY(to->pw_gecos, from->pw_gecos);
	COPY(to->pw_dir, from->pw_dir);
	COPY(to->pw_shell, from->pw_shell);
	*result = to;
	return 0;
}
int getpwent_r(struct passwd *to, char *at, size_t room, struct passwd **result)
{ return copy_user(getpwent(), to, at, room, result); }
int fgetpwent_r(FILE *file, struct passwd *to, char *at, size_t room, struct passwd **result)
{ return copy_user(fgetpwent(file), to, at, room, result); }

static int copy_group(const struct group *from, struct group *to, char *at, size_t room, struct group **result)
{
	*result = 0;
	if (!from) return ENOENT;
	size_t count = 1, skip = -(size_t)at % sizeof(char *);
	while (from->gr_mem[count - 1]) count++;
	if (room < skip + count * sizeof(char *)) return errno = ERANGE;
	char **members = (char **)(at + skip);
	at += skip + count * sizeof(char *);
	room -= skip + count * sizeof(char *);
	*to = *from;
	COPY(to->gr_name, from->gr_name);
	COPY(to->gr_passwd, from->gr_passwd);
	to->gr_mem = members;
	for (size_t i = 0; i + 1 < count; i++) COPY(members[i], from->gr_mem[i]);
	members[count - 1] = 0;
	*result = to;
	return 0;
}
int getgrent_r(struct group *to, char *at, size_t room, struct group **result)
{ return copy_group(getgrent(), to, at, room, result); }
int fgetgrent_r(FILE *file, struct group *to, char *at, size_t room, struct group **result)
{ return copy_group(fgetgrent(file), to, at, room, result); }

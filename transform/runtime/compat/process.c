/* Process and file interfaces under other names, and the extensions that
 * reduce to one library call. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fortify.h"

int fcntl64(int fd, int command, ...)
{
	va_list ap;
	va_start(ap, command);
	unsigned long argument = va_arg(ap, unsigned long);
	va_end(ap);
	return fcntl(fd, command, argument);
}

/* Fortified open: creating a file needs a mode, which these do not have. */
static int open_existing(int dir, const char *path, int flags)
{
	if (flags & O_CREAT) __chk_fail();
	return openat(dir, path, flags);
}
int __open_2(const char *path, int flags) { return open_existing(AT_FDCWD, path, flags); }
int __open64_2(const char *path, int flags) { return open_existing(AT_FDCWD, path, flags); }
int __openat_2(int dir, const char *path, int flags) { return open_existing(dir, path, flags); }
int __openat64_2(int dir, const char *path, int flags) { return open_existing(dir, path, flags); }

_Noreturn void __longjmp_chk(jmp_buf where, int value) { longjmp(where, value); }

char *canonicalize_file_name(const char *path) { return realpath(path, 0); }
char *getwd(char *buffer) { return getcwd(buffer, PATH_MAX); }
char *__getwd_chk(char *buffer, size_t size) { fits(PATH_MAX, size); return getcwd(buffer, PATH_MAX); }
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{ return syscall(SYS_renameat2, from_dir, from, to_dir, to, flags); }
int tgkill(int group, int thread, int signal) { return syscall(SYS_tgkill, group, thread, signal); }
int close_range(unsigned first, unsigned last, int flags) { return syscall(436, first, last, flags); }
void closefrom(int first) { close_range(first < 0 ? 0 : first, ~0u, 0); }
int statx(int dir, const char *path, int flags, unsigned mask, void *result)
{ return syscall(SYS_statx, dir, path, flags, mask, result); }
int getcpu(unsigned *cpu, unsigned *node) { return syscall(SYS_getcpu, cpu, node, 0); }
int fcloseall(void) { return fflush(0); }
time_t timelocal(struct tm *tm) { return mktime(tm); }
void (*sysv_signal(int signal, void (*handler)(int)))(int)
{
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESETHAND | SA_NODEFER }, old;
	return sigaction(signal, &new, &old) < 0 ? SIG_ERR : old.sa_handler;
}
sighandler_t ssignal(int number, sighandler_t handler) { return signal(number, handler); }
int gsignal(int number) { return raise(number); }
int group_member(gid_t gid) { return gid == getgid() || gid == getegid(); }

unsigned gnu_dev_major(unsigned long long d) { return (unsigned)(d >> 8 & 0xfff) | (unsigned)(d >> 32 & ~0xfffu); }
unsigned gnu_dev_minor(unsigned long long d) { return (unsigned)(d & 0xff) | (unsigned)(d >> 12 & ~0xffu); }
unsigned long long gnu_dev_makedev(unsigned major, unsigned minor)
{
	return (major & 0xfffull) << 8 | (major & ~0xfffull) << 32
		| (minor & 0xffull) | (minor & ~0xffull) << 12;
}

cpu_set_t *__sched_cpualloc(size_t count) { return calloc((count + 63) / 64, 8); }
void __sched_cpufree(cpu_set_t *set) { free(set); }

struct cmsghdr *__cmsg_nxthdr(struct msghdr *m, struct cmsghdr *c) { return CMSG_NXTHDR(m, c); }

uint32_t arc4random(void)
{
	uint32_t value = 0;
	syscall(SYS_getrandom, &value, sizeof value, 0);
	return value;
}
void arc4random_buf(void *p, size_t n) { syscall(SYS_getrandom, p, n, 0); }
uint32_t arc4random_uniform(uint32_t bound) { return bound < 2 ? 0 : arc4random() % bound; }

#define SAME(result, name, parameters, arguments) result __##name parameters { return name arguments; }
SAME(int, close, (int fd), (fd))
SAME(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n))
SAME(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
SAME(int, dup2, (int from, int to), (from, to))
SAME(int, pipe, (int fds[2]), (fds))
SAME(pid_t, getpid, (void), ())
SAME(pid_t, getpgid, (pid_t p), (p))
SAME(pid_t, waitpid, (pid_t p, int *status, int options), (p, status, options))
SAME(long, sysconf, (int name), (name))
SAME(int, sched_yield, (void), ())
SAME(int, nanosleep, (const struct timespec *t, struct timespec *rest), (t, rest))

/* Checked system interfaces. */
#include "fortify.h"
#include <grp.h>
#include <poll.h>
#include <stdlib.h>
#include <limits.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *p, size_t n, size_t size)
{ fits(n, size); return read(fd, p, n); }
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t size)
{ fits(n, size); return pread(fd, p, n, at); }
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t size)
{ fits(n, size); return pread(fd, p, n, at); }
ssize_t __readlink_chk(const char *path, char *p, size_t n, size_t size)
{ fits(n, size); return readlink(path, p, n); }
ssize_t __readlinkat_chk(int fd, const char *path, char *p, size_t n, size_t size)
{ fits(n, size); return readlinkat(fd, path, p, n); }
char *__getcwd_chk(char *p, size_t n, size_t size)
{ fits(n, size); return getcwd(p, n); }
char *__realpath_chk(const char *path, char *p, size_t size)
{ fits(PATH_MAX, size); return realpath(path, p); }
size_t __confstr_chk(int name, char *p, size_t n, size_t size)
{ fits(n, size); return confstr(name, p, n); }
int __gethostname_chk(char *p, size_t n, size_t size)
{ fits(n, size); return gethostname(p, n); }
int __getdomainname_chk(char *p, size_t n, size_t size)
{ fits(n, size); return getdomainname(p, n); }
int __getlogin_r_chk(char *p, size_t n, size_t size)
{ fits(n, size); return getlogin_r(p, n); }
int __ttyname_r_chk(int fd, char *p, size_t n, size_t size)
{ fits(n, size); return ttyname_r(fd, p, n); }
int __getgroups_chk(int n, gid_t *p, size_t size)
{ if (n > 0) fits(n * sizeof *p, size); return getgroups(n, p); }
ssize_t __recv_chk(int fd, void *p, size_t n, size_t size, int flags)
{ fits(n, size); return recv(fd, p, n, flags); }
ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t size, int flags,
	struct sockaddr *from, socklen_t *len)
{ fits(n, size); return recvfrom(fd, p, n, flags, from, len); }
int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t size)
{ fits(n * sizeof *p, size); return poll(p, n, timeout); }
int __ppoll_chk(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *mask, size_t size)
{ fits(n * sizeof *p, size); return ppoll(p, n, t, mask); }
long __fdelt_chk(long fd)
{ if (fd < 0 || fd >= FD_SETSIZE) __chk_fail(); return fd / (8 * sizeof(long)); }

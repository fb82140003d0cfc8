/* The operating system beyond stdio: directories, links, descriptors, pipes, signals, limits. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static void on_signal(int number) { signals = signals * 100 + number; }

static void show(const char *what, long result)
{
	if (result < 0)
		printf("%s: errno %d\n", what, errno);
	else
		printf("%s: %ld\n", what, result);
}

static void list(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);
	show("entries", count);
	for (int i = 0; i < count; i++) {
		printf("  %s %d\n", names[i]->d_name, names[i]->d_type);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static void directories(void)
{
	struct stat s;
	show("mkdir", mkdir("plat-test-dir", 0755));
	show("again", mkdir("plat-test-dir", 0755));
	show("chdir", chdir("plat-test-dir"));
	umask(027);
	int fd = open("file", O_CREAT | O_EXCL | O_RDWR, 0666);
	show("write", write(fd, "0123456789", 10));
	show("fstat", fstat(fd, &s));
	printf("mode %o, %ld bytes, %ld links\n", s.st_mode, (long)s.st_size, (long)s.st_nlink);
	show("symlink", symlink("file", "to-file"));
	char target[20] = "";
	show("readlink", readlink("to-file", target, sizeof target));
	puts(target);
	show("link", link("file", "same"));
	show("stat", stat("same", &s));
	printf("%ld links\n", (long)s.st_nlink);
	show("lstat", lstat("to-file", &s));
	printf("is a link: %d\n", S_ISLNK(s.st_mode));
	show("access", access("missing", R_OK));
	show("mkdir", mkdir("sub", 0700));
	show("rename", rename("same", "sub/moved"));
	list(".");
	list("sub");
	show("rmdir", rmdir("sub"));
	show("unlink", unlink("sub/moved"));
	show("rename", rename("sub", "renamed"));
	show("rmdir", rmdir("renamed"));
	char buffer[32] = "";
	show("truncate", ftruncate(fd, 4));
	show("pread", pread(fd, buffer, 10, 1));
	puts(buffer);
	struct iovec pieces[2] = { { "ab", 2 }, { "cdef", 4 } };
	show("lseek", lseek(fd, 0, SEEK_END));
	show("writev", writev(fd, pieces, 2));
	int same = dup(fd);
	show("shared offset", lseek(same, 0, SEEK_CUR));
	show("close", close(fd));
	show("closed", close(fd));
	show("still open", lseek(same, 2, SEEK_SET));
	FILE *stream = fdopen(same, "r");
	printf("%s\n", fgets(buffer, sizeof buffer, stream));
	fclose(stream);
	show("unlink", unlink("file"));
	show("dangling", open("to-file", O_RDONLY));
	show("unlink", unlink("to-file"));
	show("chdir", chdir(".."));
	show("rmdir", rmdir("plat-test-dir"));
}

static void pipes(void)
{
	int ends[2];
	char text[16] = "";
	show("pipe", pipe(ends));
	show("write", write(ends[1], "through", 7));
	show("read", read(ends[0], text, 4));
	show("close", close(ends[1]));
	show("read", read(ends[0], text + 4, 10));
	puts(text);
	show("end", read(ends[0], text, 1));
	show("seek", lseek(ends[0], 0, SEEK_SET));
	show("close", close(ends[0]));
	show("terminal", isatty(1) ? 1 : 0);
}

static void handlers(void)
{
	struct sigaction action = { .sa_handler = on_signal }, old;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	show("sigaction", sigaction(SIGUSR1, &action, NULL));
	show("sigaction", sigaction(SIGUSR1, NULL, &old));
	printf("remembered: %d\n", old.sa_handler == on_signal);
	signal(SIGUSR2, on_signal);
	show("raise", raise(SIGUSR1));
	printf("signals %d\n", (int)signals);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	printf("signals %d\n", (int)signals);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("signals %d\n", (int)signals);
	signal(SIGPIPE, SIG_IGN);
	int ends[2];
	show("pipe", pipe(ends));
	close(ends[0]);
	show("broken", write(ends[1], "x", 1));
	close(ends[1]);
}

static void process(void)
{
	struct timeval first, second;
	gettimeofday(&first, NULL);
	struct timespec nap = { 0, 2000000 };
	nanosleep(&nap, NULL);
	gettimeofday(&second, NULL);
	timersub(&second, &first, &second);
	printf("slept: %d\n", second.tv_sec > 0 || second.tv_usec >= 2000);
	struct rlimit limit;
	show("getrlimit", getrlimit(RLIMIT_NOFILE, &limit));
	pthread_attr_t main_thread;
	size_t stack = 0;
	pthread_getattr_np(pthread_self(), &main_thread);
	pthread_attr_getstacksize(&main_thread, &stack);
	struct rlimit most;
	getrlimit(RLIMIT_STACK, &most);
	printf("stack: %d\n", most.rlim_cur == RLIM_INFINITY || (stack > 100000 && stack <= most.rlim_cur));
	limit.rlim_cur = 5;
	show("setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
	int opened = 0;
	while (open("/dev/null", O_RDONLY) >= 0)
		opened++;
	show("no more", open("/dev/null", O_RDONLY));
	printf("opened some: %d\n", opened <= 2);
	uid_t users[3];
	gid_t groups[3];
	show("users", getresuid(&users[0], &users[1], &users[2]));
	show("groups", getresgid(&groups[0], &groups[1], &groups[2]));
	for (int i = 0; i < 3; i++) printf("%d %d\n", users[i] == getuid(), groups[i] == getgid());
	show("the same", setresuid(-1, getuid(), -1));
	show("lock nothing", mlockall(0));
	show("page", sysconf(_SC_PAGESIZE));
	show("own pid", getpid() > 0 ? 0 : -1);
}

int main(void)
{
	directories();
	pipes();
	handlers();
	process();
	fflush(stdout);
	raise(SIGUSR1);
	_exit(signals % 100);
}

/* eventfd, timerfd and signalfd: read, waited for, and shared by processes and threads. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long says(long result)
{
	return result < 0 ? -errno : result;
}

static void take(const char *what, int fd)
{
	uint64_t number = 0;
	long got = read(fd, &number, sizeof number);
	printf("%s: %ld, %llu\n", what, says(got), (unsigned long long)number);
}

static void put(const char *what, int fd, uint64_t number)
{
	printf("%s: %ld\n", what, says(write(fd, &number, sizeof number)));
}

static struct itimerspec in(long milliseconds, long every)
{
	struct itimerspec setting = {
		.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000},
		.it_interval = {every / 1000, every % 1000 * 1000000},
	};
	return setting;
}

static void counters(void)
{
	int fd = eventfd(3, EFD_NONBLOCK | EFD_CLOEXEC);
	char small[4];
	struct stat status;
	put("add", fd, 4);
	take("sum", fd);
	take("nothing", fd);
	put("most", fd, UINT64_MAX - 1);
	put("more", fd, 1);
	put("too much", fd, UINT64_MAX);
	printf("small: %ld\n", says(read(fd, small, sizeof small)));
	printf("short: %ld\n", says(write(fd, small, sizeof small)));
	printf("seek: %ld\n", says(lseek(fd, 0, SEEK_SET)));
	printf("at: %ld\n", says(pread(fd, small, sizeof small, 0)));
	printf("mode: %ld\n", says(fstat(fd, &status)));
	printf("%o\n", (unsigned)status.st_mode);
	printf("flags: %x %x\n", fcntl(fd, F_GETFL), fcntl(fd, F_GETFD));
	printf("wrong: %ld\n", says(eventfd(0, 0x40)));
	close(fd);
	int each = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
	take("one", each);
	take("one", each);
	take("none", each);
	close(each);
}

static void timers(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec setting = in(300, 0), old;
	struct timespec now;
	printf("set: %ld\n", says(timerfd_settime(fd, 0, &setting, &old)));
	printf("old: %ld %ld\n", old.it_value.tv_sec, old.it_value.tv_nsec);
	printf("left: %ld\n", says(timerfd_gettime(fd, &old)));
	printf("%d\n", old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 300000000);
	struct pollfd wanted = {fd, POLLIN, 0};
	printf("not yet: %d\n", poll(&wanted, 1, 0));
	printf("ready: %d %x\n", poll(&wanted, 1, 5000), wanted.revents);
	take("expired", fd);
	printf("over: %d\n", poll(&wanted, 1, 10));
	clock_gettime(CLOCK_MONOTONIC, &now);
	setting = in(0, 0);
	setting.it_value = now;
	setting.it_value.tv_sec += 1;
	setting.it_value.tv_nsec -= setting.it_value.tv_nsec % 1000;
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &setting, NULL);
	take("at a time", fd);
	setting.it_value.tv_sec -= 5;
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &setting, NULL);
	take("past", fd);
	setting = in(20, 20);
	timerfd_settime(fd, 0, &setting, NULL);
	usleep(70000);
	uint64_t times = 0;
	long got = read(fd, &times, sizeof times);
	printf("again: %ld, %d\n", says(got), times >= 3);
	setting = in(0, 0);
	timerfd_settime(fd, 0, &setting, NULL);
	printf("never: %d\n", poll(&wanted, 1, 30));
	put("written", fd, 1);
	printf("no clock: %ld\n", says(timerfd_create(77, 0)));
	printf("no timer: %ld\n", says(timerfd_settime(0, 0, &setting, NULL)));
	close(fd);
}

static void receives(const char *what, int fd)
{
	struct signalfd_siginfo came[3];
	memset(came, 0, sizeof came);
	long got = read(fd, came, sizeof came);
	printf("%s: %ld", what, says(got));
	for (int i = 0; got > 0 && i < got / (long)sizeof *came; i++)
		printf(", %u from %d", came[i].ssi_signo, came[i].ssi_pid == (unsigned)getpid());
	printf("\n");
}

static void signals(void)
{
	sigset_t set, one;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_NONBLOCK);
	receives("nothing", fd);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	struct pollfd wanted = {fd, POLLIN | POLLOUT, 0};
	printf("ready: %d %x\n", poll(&wanted, 1, 0), wanted.revents);
	receives("both", fd);
	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	printf("changed: %d\n", signalfd(fd, &one, 0) == fd);
	kill(getpid(), SIGUSR1);
	receives("another one", fd);
	signalfd(fd, &set, 0);
	receives("this one", fd);
	close(fd);
	fd = signalfd(-1, &set, 0);
	pid_t child = fork();
	if (child == 0) {
		usleep(20000);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	receives("from a child", fd);
	waitpid(child, NULL, 0);
	close(fd);
}

static void processes(void)
{
	int fd = eventfd(0, 0), status;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		uint64_t number = 5;
		usleep(20000);
		_exit(write(fd, &number, sizeof number) == sizeof number ? 7 : 8);
	}
	take("from a child", fd);
	waitpid(child, &status, 0);
	printf("child: %d\n", WEXITSTATUS(status));
	close(fd);
}

static int timer, event;

static void *earlier(void *unused)
{
	struct itimerspec setting = in(20, 0);
	usleep(20000);
	timerfd_settime(timer, 0, &setting, NULL);
	return unused;
}

static void *later(void *unused)
{
	struct itimerspec setting = in(9000, 0);
	timerfd_settime(timer, 0, &setting, NULL);
	usleep(1500000);
	eventfd_write(event, 9);
	return unused;
}

static void waits(const char *what, int epoll, int limit)
{
	struct epoll_event found[2];
	int count = epoll_wait(epoll, found, 2, limit);
	printf("%s: %d", what, count);
	for (int i = 0; i < count; i++)
		printf(" %s", found[i].data.fd == timer ? "timer" : "event");
	printf("\n");
}

/* What is new is told once, whether it was read or not. */
static void edges(void)
{
	int epoll = epoll_create1(0), ends[2];
	sigset_t set;
	char byte = 0;
	struct epoll_event wanted = {EPOLLIN | EPOLLET, {0}};
	event = eventfd(0, EFD_NONBLOCK);
	wanted.data.fd = event;
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
	waits("no event", epoll, 0);
	put("event", event, 1);
	waits("an event", epoll, 0);
	waits("none", epoll, 0);
	put("event", event, 1);
	waits("another", epoll, 0);
	take("both", event);
	put("event", event, 1);
	waits("and another", epoll, 0);
	close(event);

	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	wanted.data.fd = timer;
	epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &wanted);
	struct itimerspec setting = in(20, 20);
	timerfd_settime(timer, 0, &setting, NULL);
	waits("expired", epoll, 2000);
	waits("not read", epoll, 100);
	uint64_t times = 0;
	printf("read: %ld %d\n", says(read(timer, &times, sizeof times)), times > 0);
	waits("expired again", epoll, 2000);
	close(timer);
	timer = -1;

	pipe(ends);
	event = ends[0];
	wanted.data.fd = event;
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
	for (int i = 0; i < 2; i++) {
		write(ends[1], &byte, 1);
		waits("written", epoll, 0);
		waits("nothing new", epoll, 0);
		read(ends[0], &byte, 1);
	}
	close(event);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	event = signalfd(-1, &set, SFD_NONBLOCK);
	wanted.data.fd = event;
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
	for (int i = 0; i < 2; i++) {
		kill(getpid(), SIGUSR1);
		waits("a signal", epoll, 0);
		kill(getpid(), SIGUSR1);
		waits("the same one", epoll, 0);
		receives("it", event);
	}
	close(event);
	close(epoll);
}

static void threads(void)
{
	pthread_t thread;
	eventfd_t number;
	int epoll = epoll_create1(0);
	timer = timerfd_create(CLOCK_REALTIME, 0);
	event = eventfd(0, EFD_NONBLOCK);
	for (int i = 0; i < 2; i++) {
		struct epoll_event wanted = {EPOLLIN, {.fd = i ? timer : event}};
		epoll_ctl(epoll, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
	}
	waits("nothing", epoll, 10);
	struct itimerspec setting = in(4000, 0);
	timerfd_settime(timer, 0, &setting, NULL);
	pthread_create(&thread, NULL, earlier, NULL);
	waits("set earlier", epoll, 3000);
	pthread_join(thread, NULL);
	take("timer", timer);
	setting = in(1000, 0);
	timerfd_settime(timer, 0, &setting, NULL);
	pthread_create(&thread, NULL, later, NULL);
	waits("set later", epoll, 3000);
	pthread_join(thread, NULL);
	printf("event: %d", eventfd_read(event, &number));
	printf(" %llu\n", (unsigned long long)number);
	waits("in time", epoll, 20);
	fd_set readable;
	FD_ZERO(&readable);
	FD_SET(timer, &readable);
	setting = in(10, 0);
	timerfd_settime(timer, 0, &setting, NULL);
	printf("selected: %d\n", select(timer + 1, &readable, NULL, NULL, NULL));
	close(epoll);
}

int main(void)
{
	counters();
	timers();
	signals();
	processes();
	edges();
	threads();
	return 0;
}

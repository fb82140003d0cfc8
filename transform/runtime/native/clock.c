/* The time of day of a native replay: loaded before a program (LD_PRELOAD), it lets the clock begin when
 * that of the path began, at $PLAT_CLOCK seconds since 1970. It runs on as always. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { BILLION = 1000000000 };

/* What is added to the system's clock. */
static struct timespec ahead;

static int system_clock(clockid_t clock, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static void add(struct timespec *time)
{
	time->tv_sec += ahead.tv_sec;
	time->tv_nsec += ahead.tv_nsec;
	if (time->tv_nsec >= BILLION) {
		time->tv_nsec -= BILLION;
		time->tv_sec++;
	}
}

__attribute__((constructor(101))) static void load(void)
{
	struct timespec now;
	const char *start = getenv("PLAT_CLOCK");
	/* The program sees the environment of its path. */
	unsetenv("LD_PRELOAD");
	unsetenv("PLAT_CLOCK");
	if (!start || system_clock(CLOCK_REALTIME, &now) != 0)
		return;
	ahead.tv_sec = atoll(start) - now.tv_sec - (now.tv_nsec > 0);
	ahead.tv_nsec = now.tv_nsec > 0 ? BILLION - now.tv_nsec : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int failed = system_clock(clock, now);
	if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
		add(now);
	return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec time;
	if (zone)
		*(struct timezone *)zone = (struct timezone){ 0 };
	if (clock_gettime(CLOCK_REALTIME, &time) != 0)
		return -1;
	*now = (struct timeval){ time.tv_sec, time.tv_nsec / 1000 };
	return 0;
}

int timespec_get(struct timespec *now, int base)
{
	return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

time_t time(time_t *to)
{
	struct timespec now;
	if (clock_gettime(CLOCK_REALTIME, &now) != 0)
		return -1;
	if (to)
		*to = now.tv_sec;
	return now.tv_sec;
}

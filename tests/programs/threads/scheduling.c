/* What a program asks of scheduling, and what it is told: niceness, policies, the processors and attributes
 * of threads. Nothing of it changes an order. Niceness is told from where the program was started. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void show(const char *what, long result)
{
	if (result < 0) printf("%s: errno %d\n", what, errno);
	else printf("%s: %ld\n", what, result);
	errno = 0;
}

static void policies(void)
{
	static const int all[] = { SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH, 4, SCHED_IDLE, 6, -1 };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		show("least", sched_get_priority_min(all[i]));
		show("most", sched_get_priority_max(all[i]));
	}
	struct sched_param parameter = { .sched_priority = 7 };
	show("policy", sched_getscheduler(0));
	show("parameter", sched_getparam(0, &parameter));
	printf("priority %d\n", parameter.sched_priority);
	show("the same", sched_setparam(0, &parameter));
	show("other", sched_setscheduler(0, SCHED_OTHER, &parameter));
	show("batch", sched_setscheduler(0, SCHED_BATCH, &parameter));
	show("policy", sched_getscheduler(getpid()));
	show("back", sched_setscheduler(0, SCHED_OTHER, &parameter));
	parameter.sched_priority = 3;
	show("no priorities", sched_setparam(0, &parameter));
	show("no priorities", sched_setscheduler(0, SCHED_BATCH, &parameter));
	parameter.sched_priority = 0;
	show("too low", sched_setscheduler(0, SCHED_FIFO, &parameter));
	parameter.sched_priority = 100;
	show("too high", sched_setscheduler(0, SCHED_RR, &parameter));
	parameter.sched_priority = 0;
	show("no policy", sched_setscheduler(0, 4, &parameter));
	show("no policy", sched_setscheduler(0, -1, &parameter));
	show("null", sched_setscheduler(0, SCHED_OTHER, 0));
	show("null", sched_getparam(0, 0));
	show("nobody", sched_getscheduler(-1));
	show("nobody", sched_setparam(0x3fffffff, &parameter));
}

static void niceness(void)
{
	int first = getpriority(PRIO_PROCESS, 0);
	show("nice", nice(3) - first);
	show("now", getpriority(PRIO_PROCESS, getpid()) - first);
	show("of the user", setpriority(PRIO_PROCESS, 0, first + 5));
	show("now", nice(0) - first);
	show("most", setpriority(PRIO_PROCESS, 0, 100));
	show("now", getpriority(PRIO_PROCESS, 0));
	show("what", getpriority(9, 0));
	show("whose", getpriority(PRIO_PROCESS, -2));
}

static void *work(void *argument)
{
	struct sched_param parameter;
	int policy;
	printf("of a thread: %d", pthread_getschedparam(pthread_self(), &policy, &parameter));
	printf(" %d %d\n", policy, parameter.sched_priority);
	return argument;
}

static void attributes(void)
{
	pthread_attr_t attribute;
	cpu_set_t set, found;
	unsigned long small[1], large[64] = { 0 };
	pthread_attr_init(&attribute);
	printf("%d", pthread_attr_getaffinity_np(&attribute, sizeof found, &found));
	printf(" of all: %d\n", CPU_COUNT(&found));
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CPU_SET(70, &set);
	printf("%d", pthread_attr_setaffinity_np(&attribute, sizeof set, &set));
	printf(" %d", pthread_attr_getaffinity_np(&attribute, sizeof found, &found));
	printf(" %d %d\n", CPU_EQUAL(&set, &found), CPU_COUNT(&found));
	printf("too small: %d\n", pthread_attr_getaffinity_np(&attribute, sizeof small, (cpu_set_t *)small));
	memset(large, 1, sizeof large);
	printf("larger: %d", pthread_attr_getaffinity_np(&attribute, sizeof large, (cpu_set_t *)large));
	printf(" %lu %lu %lu\n", large[0], large[1], large[40]);
	printf("none: %d", pthread_attr_setaffinity_np(&attribute, 0, 0));
	printf(" %d\n", pthread_attr_getaffinity_np(&attribute, sizeof small, (cpu_set_t *)small));
	CPU_CLR(70, &set);
	pthread_attr_setaffinity_np(&attribute, sizeof set, &set);
	/* What the thread writes comes before its end is told, wherever it runs. */
	pthread_t thread;
	void *result;
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 5;
	int made = pthread_create(&thread, &attribute, work, &until);
	int joined = pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &until);
	printf("made: %d, joined: %d %d\n", made, joined, result == &until);
	pthread_attr_destroy(&attribute);

	pthread_rwlockattr_t lock;
	int kind = 9;
	pthread_rwlockattr_init(&lock);
	printf("kind: %d", pthread_rwlockattr_getkind_np(&lock, &kind));
	printf(" %d", kind);
	printf(" %d", pthread_rwlockattr_setkind_np(&lock, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
	pthread_rwlockattr_getkind_np(&lock, &kind);
	printf(" %d %d\n", kind, pthread_rwlockattr_setkind_np(&lock, 3));
}

int main(void)
{
	policies();
	attributes();
	niceness();
	return 0;
}

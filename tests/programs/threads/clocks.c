/* Waiting until a given clock shows a time, as conditions of C++ do: no sooner, and no longer than until it
 * is over what they wait for. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int ready;

static struct timespec in(clockid_t clock, long milliseconds)
{
	struct timespec time;
	clock_gettime(clock, &time);
	time.tv_nsec += milliseconds % 1000 * 1000000;
	time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static int is_over(clockid_t clock, const struct timespec *until)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

static void *work(void *argument)
{
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	sem_post(&semaphore);
	return argument;
}

static void *block(void *argument)
{
	clockid_t clock = *(clockid_t *)argument;
	struct timespec until = in(clock, 20);
	printf("mutex: %d", pthread_mutex_clocklock(&held, clock, &until));
	printf(" %d\n", is_over(clock, &until));
	until = in(clock, 20);
	printf("read: %d", pthread_rwlock_clockrdlock(&shared, clock, &until));
	printf(" %d\n", is_over(clock, &until));
	until = in(clock, 20);
	printf("write: %d", pthread_rwlock_clockwrlock(&shared, clock, &until));
	printf(" %d\n", is_over(clock, &until));
	return argument;
}

static void by(clockid_t clock)
{
	pthread_t thread;
	void *result;
	struct timespec until = in(clock, 20);
	pthread_mutex_lock(&lock);
	printf("nobody: %d", pthread_cond_clockwait(&changed, &lock, clock, &until));
	printf(" %d\n", is_over(clock, &until));
	ready = 0;
	pthread_create(&thread, 0, work, &ready);
	until = in(clock, 20000);
	int error = 0;
	while (!ready && !error) error = pthread_cond_clockwait(&changed, &lock, clock, &until);
	pthread_mutex_unlock(&lock);
	printf("somebody: %d, ready: %d\n", error, ready);
	printf("semaphore: %d\n", sem_clockwait(&semaphore, clock, &until));
	printf("joined: %d", pthread_clockjoin_np(thread, &result, clock, &until));
	printf(" %d\n", result == &ready);
	until = in(clock, 20);
	printf("semaphore: %d", sem_clockwait(&semaphore, clock, &until));
	printf(" %d %d\n", errno == ETIMEDOUT, is_over(clock, &until));
	pthread_create(&thread, 0, block, &clock);
	pthread_join(thread, 0);
	until.tv_nsec = 1000000000;
	pthread_mutex_lock(&lock);
	printf("no time: %d\n", pthread_cond_clockwait(&changed, &lock, clock, &until));
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&shared);
	sem_init(&semaphore, 0, 0);
	by(CLOCK_REALTIME);
	by(CLOCK_MONOTONIC);
	pthread_condattr_t attribute;
	pthread_condattr_init(&attribute);
	pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attribute);
	by(CLOCK_REALTIME);
	by(CLOCK_MONOTONIC);
	struct timespec until = in(CLOCK_MONOTONIC, 10);
	pthread_mutex_lock(&lock);
	printf("no clock: %d\n", pthread_cond_clockwait(&changed, &lock, CLOCK_PROCESS_CPUTIME_ID, &until));
	return 0;
}

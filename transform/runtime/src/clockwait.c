/* Waiting until a given clock shows a time. musl waits by the real time, and for a condition variable by
 * the clock that it was made with: the time is translated to that clock. All clocks pass alike. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>
#include "pthread_impl.h"

#define SECOND 1000000000L

/* A time of one clock as that of another one, or EINVAL for a clock that nobody waits by. */
static int translate(clockid_t from, clockid_t to, const struct timespec *until, struct timespec *found)
{
	struct timespec here, there;
	if (from != CLOCK_REALTIME && from != CLOCK_MONOTONIC) return EINVAL;
	*found = *until;
	/* What is no time stays so, for the caller to refuse it. */
	if (from == to || until->tv_nsec < 0 || until->tv_nsec >= SECOND) return 0;
	clock_gettime(from, &here);
	clock_gettime(to, &there);
	found->tv_sec += there.tv_sec - here.tv_sec;
	found->tv_nsec += there.tv_nsec - here.tv_nsec;
	if (found->tv_nsec < 0) found->tv_nsec += SECOND, found->tv_sec--;
	if (found->tv_nsec >= SECOND) found->tv_nsec -= SECOND, found->tv_sec++;
	return 0;
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *lock, clockid_t clock, const struct timespec *until)
{
	struct timespec own;
	int error = translate(clock, condition->_c_clock, until, &own);
	return error ? error : pthread_cond_timedwait(condition, lock, &own);
}

int pthread_mutex_clocklock(pthread_mutex_t *lock, clockid_t clock, const struct timespec *until)
{
	struct timespec real;
	int error = translate(clock, CLOCK_REALTIME, until, &real);
	return error ? error : pthread_mutex_timedlock(lock, &real);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	struct timespec real;
	int error = translate(clock, CLOCK_REALTIME, until, &real);
	return error ? error : pthread_rwlock_timedrdlock(lock, &real);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	struct timespec real;
	int error = translate(clock, CLOCK_REALTIME, until, &real);
	return error ? error : pthread_rwlock_timedwrlock(lock, &real);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
	struct timespec real;
	int error = until ? translate(clock, CLOCK_REALTIME, until, &real) : 0;
	return error ? error : pthread_timedjoin_np(thread, result, until ? &real : 0);
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	struct timespec real;
	int error = translate(clock, CLOCK_REALTIME, until, &real);
	if (!error) return sem_timedwait(semaphore, &real);
	errno = error;
	return -1;
}

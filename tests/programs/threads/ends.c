/* How threads end: pthread_exit, cancellation with its handlers, and the end of the program by the last
 * thread, when main has ended before. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static int cleaned;

static void inner(void *unused) { (void)unused; pthread_exit((void *)41); }
static void *exits(void *unused) { inner(unused); return unused; }

static void unlock(void *mutex) { cleaned++; pthread_mutex_unlock(mutex); }
static void *waits(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	sem_post(&ready);
	for (;;) pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return unused;
}

static void *works(void *unused)
{
	int old;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&ready);
	usleep(1000);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	pthread_testcancel();
	return unused;
}

static void *pops(void *unused)
{
	pthread_cleanup_push(unlock, &lock);
	pthread_mutex_lock(&lock);
	pthread_cleanup_pop(1);
	return unused;
}

static void *last(void *first)
{
	pthread_join(*(pthread_t *)first, 0);
	puts("the last thread");
	fflush(stdout);
	return 0;
}

int main(void)
{
	static pthread_t self;
	pthread_t thread;
	void *result;

	sem_init(&ready, 0, 0);
	pthread_create(&thread, 0, exits, 0);
	pthread_join(thread, &result);
	printf("exit %ld\n", (long)result);
	pthread_create(&thread, 0, waits, 0);
	sem_wait(&ready);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled %d, cleaned %d\n", result == PTHREAD_CANCELED, cleaned);
	pthread_create(&thread, 0, works, 0);
	sem_wait(&ready);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled %d\n", result == PTHREAD_CANCELED);
	pthread_create(&thread, 0, pops, 0);
	pthread_join(thread, &result);
	printf("cleaned %d, free %d\n", cleaned, pthread_mutex_trylock(&lock) == 0);
	self = pthread_self();
	pthread_create(&thread, 0, last, &self);
	pthread_exit(0);
}

/* Threads, mutexes of all kinds, once, keys, thread-local variables, errno.
 *
 * Whatever the schedule is, the output is the same. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static long counter;

static void *count(void *rounds)
{
	for (long left = (long)rounds; left > 0; left--) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return (void *)((long)rounds * 2);
}

static void counting(void)
{
	pthread_t threads[THREADS];
	long returned = 0;
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], 0, count, (void *)(i + 1))) abort();
	for (int i = 0; i < THREADS; i++) {
		void *result;
		if (pthread_join(threads[i], &result)) abort();
		returned += (long)result;
	}
	printf("counted %ld, returned %ld\n", counter, returned);
}

static void *try_locked(void *mutex) { return (void *)(long)pthread_mutex_trylock(mutex); }

static void kinds(void)
{
	pthread_t thread;
	void *result;
	pthread_mutexattr_t attributes;
	pthread_mutex_t checked;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attributes);
	printf("lock %d, again %d\n", pthread_mutex_lock(&checked), pthread_mutex_lock(&checked) == EDEADLK);
	pthread_create(&thread, 0, try_locked, &checked);
	pthread_join(thread, &result);
	printf("another thread: %d\n", (int)(long)result == EBUSY);
	printf("unlock %d, again %d\n", pthread_mutex_unlock(&checked), pthread_mutex_unlock(&checked) == EPERM);
	printf("recursive %d %d", pthread_mutex_lock(&recursive), pthread_mutex_lock(&recursive));
	printf(" %d %d\n", pthread_mutex_unlock(&recursive), pthread_mutex_unlock(&recursive));
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;
static void initialise(void) { initialised++; }
static void *ask_once(void *unused)
{
	pthread_once(&once, initialise);
	return unused;
}

static pthread_key_t key;
static int destroyed;
static void destroy(void *value) { __atomic_fetch_add(&destroyed, *(int *)value, __ATOMIC_SEQ_CST); free(value); }
static void *use_key(void *value)
{
	int *own = malloc(sizeof *own);
	*own = (int)(long)value;
	if (pthread_getspecific(key)) abort();
	pthread_setspecific(key, own);
	return *(int *)pthread_getspecific(key) == (int)(long)value ? value : 0;
}

static __thread int local = 7;
static __thread char text[8] = "first";
static __thread int *pointer = &initialised;
static void *use_locals(void *value)
{
	if (local != 7 || strcmp(text, "first") || pointer != &initialised) return 0;
	local += (int)(long)value;
	text[0] = 'F';
	errno = local;
	usleep(1000);
	return (void *)(long)(local == errno && text[0] == 'F' ? local : -1);
}

static void several(void *(*function)(void *), const char *name)
{
	pthread_t threads[3];
	long sum = 0;
	for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, function, (void *)(i + 1));
	for (int i = 0; i < 3; i++) {
		void *result;
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("%s: %ld\n", name, sum);
}

static void *identity(void *unused)
{
	(void)unused;
	return (void *)pthread_self();
}

int main(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	void *result;

	counting();
	kinds();
	several(ask_once, "once");
	printf("initialised %d time\n", initialised);
	pthread_key_create(&key, destroy);
	several(use_key, "keys");
	printf("destroyed %d\n", destroyed);
	errno = 3;
	several(use_locals, "locals");
	printf("here %d %s %d\n", local, text, errno);

	pthread_create(&thread, 0, identity, 0);
	pthread_join(thread, &result);
	printf("self %d %d\n", pthread_equal(thread, (pthread_t)result) != 0, pthread_equal(thread, pthread_self()));

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 20);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	printf("detached %d\n", pthread_create(&thread, &attributes, identity, 0));
	pthread_create(&thread, 0, identity, 0);
	printf("detach %d\n", pthread_detach(thread));
	return 0;
}

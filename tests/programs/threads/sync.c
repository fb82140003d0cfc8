/* Conditions, barriers, semaphores, read-write locks, spin locks, time limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ITEMS 12
#define ROOM 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], used, sum;

static void *produce(void *unused)
{
	for (int item = 1; item <= ITEMS; item++) {
		pthread_mutex_lock(&lock);
		while (used == ROOM) pthread_cond_wait(&emptied, &lock);
		queue[used++] = item;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *consume(void *count)
{
	for (long left = (long)count; left > 0; left--) {
		pthread_mutex_lock(&lock);
		while (!used) pthread_cond_wait(&filled, &lock);
		sum += queue[--used];
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	return 0;
}

static void queues(void)
{
	pthread_t threads[3];
	pthread_create(&threads[0], 0, consume, (void *)(long)(ITEMS / 3));
	pthread_create(&threads[1], 0, consume, (void *)(long)(ITEMS - ITEMS / 3));
	pthread_create(&threads[2], 0, produce, 0);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
	printf("consumed %d\n", sum);
}

static pthread_barrier_t barrier;
static int phase[3], serial;
static void *meet(void *me)
{
	for (int round = 1; round <= 3; round++) {
		phase[(long)me] = round;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
		for (int i = 0; i < 3; i++) if (phase[i] != round) abort();
		pthread_barrier_wait(&barrier);
	}
	return 0;
}

static sem_t tokens, done;
static int inside, most;
static void *enter(void *unused)
{
	sem_wait(&tokens);
	int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	if (now > 2) most = now;
	sched_yield();
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	sem_post(&tokens);
	sem_post(&done);
	return unused;
}

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int value, spun;
static void *change(void *by)
{
	pthread_rwlock_wrlock(&shared);
	value += (int)(long)by;
	pthread_rwlock_unlock(&shared);
	pthread_spin_lock(&spin);
	spun++;
	pthread_spin_unlock(&spin);
	pthread_rwlock_rdlock(&shared);
	int seen = value;
	pthread_rwlock_unlock(&shared);
	return (void *)(long)(seen > 0);
}

static void run(void *(*function)(void *))
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, function, (void *)i);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}

static void *broadcast(void *unused)
{
	pthread_mutex_lock(&lock);
	used = 99;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&lock);
	return unused;
}
static void *await(void *unused)
{
	pthread_mutex_lock(&lock);
	while (used != 99) pthread_cond_wait(&filled, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *hold(void *unused)
{
	pthread_mutex_lock(&lock);
	sem_post(&done);
	sem_wait(&tokens);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void limits(void)
{
	struct timespec soon;
	pthread_t thread;
	sem_init(&tokens, 0, 0);
	sem_init(&done, 0, 0);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 1000000;
	if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
	pthread_mutex_lock(&lock);
	printf("condition %d\n", pthread_cond_timedwait(&filled, &lock, &soon) == ETIMEDOUT);
	pthread_mutex_unlock(&lock);
	printf("semaphore %d", sem_timedwait(&tokens, &soon));
	printf(" %d\n", errno == ETIMEDOUT);
	pthread_create(&thread, 0, hold, 0);
	sem_wait(&done);
	printf("mutex %d\n", pthread_mutex_timedlock(&lock, &soon) == ETIMEDOUT);
	printf("try %d\n", pthread_mutex_trylock(&lock) == EBUSY);
	printf("join %d\n", pthread_tryjoin_np(thread, 0) == EBUSY);
	sem_post(&tokens);
	pthread_join(thread, 0);
}

int main(void)
{
	pthread_t waiting[2], thread;

	queues();
	pthread_barrier_init(&barrier, 0, 3);
	run(meet);
	printf("barrier %d\n", serial);
	sem_init(&tokens, 0, 2);
	sem_init(&done, 0, 0);
	run(enter);
	int posted;
	sem_getvalue(&done, &posted);
	printf("semaphore %d %d\n", most, posted);
	pthread_spin_init(&spin, 0);
	run(change);
	printf("value %d, spun %d\n", value, spun);
	for (int i = 0; i < 2; i++) pthread_create(&waiting[i], 0, await, 0);
	pthread_create(&thread, 0, broadcast, 0);
	for (int i = 0; i < 2; i++) pthread_join(waiting[i], 0);
	pthread_join(thread, 0);
	limits();
	return 0;
}

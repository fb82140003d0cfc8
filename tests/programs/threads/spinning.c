/* Threads that wait in loops, and threads that sleep. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static volatile int plain;
static atomic_int atomic;
static int slept;

static void *sets(void *unused)
{
	while (!plain) { }
	atomic_store(&atomic, 1);
	while (atomic_load(&atomic) != 2) __builtin_ia32_pause();
	plain = 2;
	while (atomic_load(&atomic) != 3) sched_yield();
	return unused;
}

static void *sleeps(void *order)
{
	usleep((long)order * 100000);
	slept = slept * 10 + (int)(long)order;
	return 0;
}

int main(void)
{
	pthread_t thread, sleepers[3];
	pthread_create(&thread, 0, sets, 0);
	plain = 1;
	while (!atomic_load(&atomic)) { }
	atomic_store(&atomic, 2);
	while (plain != 2) { }
	usleep(10);
	atomic_store(&atomic, 3);
	pthread_join(thread, 0);
	for (long i = 0; i < 3; i++) pthread_create(&sleepers[i], 0, sleeps, (void *)(3 - i));
	for (int i = 0; i < 3; i++) pthread_join(sleepers[i], 0);
	printf("%d %d %d\n", plain, atomic, slept);
	return 0;
}

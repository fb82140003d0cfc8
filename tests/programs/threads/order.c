/* Two locks, taken in both orders: a deadlock for some schedules, at the inner one. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int a = 1, b = 2;

static void *exchange(void *unused)
{
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	int was = a;
	a = b;
	b = was;
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, exchange, 0);
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&second); //~ deadlock: deadlock: every thread waits | thread 2 (made at | waits at | schedule: thread 2 ran in place of thread 1 at
	int sum = a + b;
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
	pthread_join(thread, 0);
	printf("%d\n", sum);
	return 0;
}

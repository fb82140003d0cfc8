/* An update that is lost for some schedules: each access is under the lock, but not both together. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static int get(void)
{
	pthread_mutex_lock(&lock);
	int now = balance;
	pthread_mutex_unlock(&lock);
	return now;
}

static void set(int to)
{
	pthread_mutex_lock(&lock);
	balance = to;
	pthread_mutex_unlock(&lock);
}

static void *deposit(void *amount)
{
	set(get() + (int)(long)amount);
	return 0;
}

int main(void)
{
	pthread_t threads[2];
	for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, deposit, (void *)(i + 1));
	for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
	assert(balance == 3); //~ assert: ASSERTION FAIL: balance == 3 | schedule: thread 3 ran in place of thread 2 at
	return 0;
}

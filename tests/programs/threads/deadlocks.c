/* arguments: --sym-arg 1
 *
 * Deadlocks under every schedule. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;

static void *keeps(void *unused)
{
	pthread_mutex_lock(&lock);
	return unused;
}

static void *waits(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&never, &lock); //~ deadlock: deadlock: every thread waits | in thread 2 (made at | thread 1 waits at
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc < 2) return 2;
	switch (argv[1][0]) {
	case '1':
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&lock); //~ deadlock: deadlock: the only thread waits
		break;
	case '2':
		pthread_create(&thread, 0, keeps, 0);
		pthread_join(thread, 0);
		pthread_mutex_lock(&lock); //~ deadlock: deadlock: every thread waits | in thread 1
		break;
	case '3':
		pthread_create(&thread, 0, waits, 0);
		pthread_join(thread, 0); // where the first thread waits
		break;
	case '4':
		sem_init(&none, 0, 0);
		sem_wait(&none); //~ deadlock: deadlock: the only thread waits
		break;
	}
	return 0;
}

/* arguments: --sym-arg 1
 * options: --detect-data-races
 *
 * Data races, and near misses. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int plain, guarded, published, apart[2], ready;
static char bytes[8];
static atomic_int flag, mixed;
static int *shared;

static void *increments(void *unused)
{
	plain++; //~ race: data race | it reads 4 bytes at offset 0 of global plain | thread 1 writes there at
	return unused;
}

static void *locks(void *unused)
{
	pthread_mutex_lock(&lock);
	guarded++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *publishes(void *unused)
{
	published = 7;
	atomic_store(&flag, 1);
	return unused;
}

static void *second(void *unused)
{
	apart[1] = 1;
	bytes[3] = 1;
	return unused;
}

static void *mixes(void *unused)
{
	atomic_fetch_add(&mixed, 1); //~ race: data race | of global mixed
	return unused;
}

static void *frees_later(void *unused)
{
	shared[1] = 5; //~ race: data race | thread 1 reads there at
	return unused;
}

static void *tells(void *unused)
{
	pthread_mutex_lock(&lock);
	published = 3;
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int sum = 0;
	if (argc < 2) return 2;
	switch (argv[1][0]) {
	case '1':
		pthread_create(&thread, 0, increments, 0);
		plain++;
		break;
	case '2':
		plain++;
		pthread_create(&thread, 0, increments, 0);
		pthread_join(thread, 0);
		plain++;
		return plain;
	case '3':
		pthread_create(&thread, 0, locks, 0);
		locks(0);
		pthread_join(thread, 0);
		return guarded;
	case '4':
		pthread_create(&thread, 0, publishes, 0);
		while (!atomic_load(&flag)) { }
		sum = published;
		break;
	case '5':
		pthread_create(&thread, 0, second, 0);
		apart[0] = 1;
		bytes[2] = 1;
		break;
	case '6':
		pthread_create(&thread, 0, mixes, 0);
		*(int *)&mixed = 1;
		break;
	case '7':
		shared = calloc(2, sizeof *shared);
		pthread_create(&thread, 0, frees_later, 0);
		sum = shared[1];
		break;
	case '8':
		pthread_create(&thread, 0, tells, 0);
		pthread_mutex_lock(&lock);
		while (!ready) pthread_cond_wait(&changed, &lock);
		sum = published;
		pthread_mutex_unlock(&lock);
		break;
	default:
		return 0;
	}
	pthread_join(thread, 0);
	return sum;
}

/* arguments: --sym-arg 2
 *
 * The input decides how many threads there are and what they do. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *letter)
{
	int amount = 0;
	switch ((char)(long)letter) {
	case 'a': amount = 1; break;
	case 'b': amount = 10; break;
	case 'c': pthread_exit((void *)3);
	}
	pthread_mutex_lock(&lock);
	total += amount;
	pthread_mutex_unlock(&lock);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int count = 0;
	if (argc < 2) return 2;
	for (char *at = argv[1]; *at; at++)
		pthread_create(&threads[count++], 0, work, (void *)(long)*at);
	long gone = 0;
	for (int i = 0; i < count; i++) {
		void *result;
		pthread_join(threads[i], &result);
		gone += (long)result;
	}
	printf("%d threads: %d %ld\n", count, total, gone);
	if (total == 11) abort(); //~ abort: abort failure
	return total + (int)gone;
}

/* A thread's argument and its result. */
#include "alias.h"
#include <pthread.h>
int x, y;
static int *seen;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *run(void *argument) { seen = argument; return &y; }
static void initialise(void) { seen = &y; }
int main(void)
{
	pthread_t thread;
	void *result = NULL;
	pthread_create(&thread, NULL, run, &x);
	pthread_join(thread, &result);
	MUSTALIAS(seen, &x); MUSTALIAS(result, &y);
	pthread_once(&once, initialise);
	MUSTALIAS(seen, &y);
	pthread_key_t key;
	pthread_key_create(&key, NULL);
	pthread_setspecific(key, &x);
	MUSTALIAS(pthread_getspecific(key), &x);
	return 0;
}

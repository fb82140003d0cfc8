/* What programs of one thread use of threads.
 * exits: 3 4 */
#include <assert.h>
#include <klee/klee.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread int own = 3;
static int begun;

static void begin(void) { begun++; }

int main(void)
{
	int x;
	klee_make_symbolic(&x, sizeof x, "x");
	pthread_once(&once, begin);
	pthread_once(&once, begin);
	assert(begun == 1);
	pthread_mutex_lock(&lock);
	if (x == 77)
		own++;
	pthread_mutex_unlock(&lock);
	assert(pthread_key_create(&key, 0) == 0);
	pthread_setspecific(key, &own);
	assert(pthread_getspecific(key) == &own);
	assert(pthread_equal(pthread_self(), pthread_self()));
	return own;
}

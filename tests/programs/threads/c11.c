/* Threads of C11. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t slot;
static int turn, begun;
static atomic_int freed;
static thread_local int own = 5;

static void begin(void) { begun++; }
static void release(void *p) { atomic_fetch_add(&freed, 1); free(p); }

static int play(void *argument)
{
	int me = *(int *)argument;
	call_once(&flag, begin);
	own += me;
	tss_set(slot, malloc(4));
	for (int round = 0; round < 3; round++) {
		mtx_lock(&lock);
		while (turn % 2 != me) cnd_wait(&changed, &lock);
		turn++;
		cnd_broadcast(&changed);
		mtx_unlock(&lock);
		thrd_yield();
	}
	return own * 10;
}

int main(void)
{
	thrd_t players[2];
	int numbers[2] = { 0, 1 }, results[2];
	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	tss_create(&slot, release);
	for (int i = 0; i < 2; i++)
		if (thrd_create(&players[i], play, &numbers[i]) != thrd_success) return 1;
	for (int i = 0; i < 2; i++) thrd_join(players[i], &results[i]);
	printf("%d turns, %d %d, begun %d, freed %d, own %d\n", turn, results[0], results[1], begun, freed, own);
	mtx_t timed;
	mtx_init(&timed, mtx_timed | mtx_recursive);
	printf("%d %d\n", mtx_trylock(&timed) == thrd_success, mtx_trylock(&timed) == thrd_success);
	struct timespec pause = { 0, 1000 };
	printf("%d %d\n", thrd_sleep(&pause, 0), thrd_equal(thrd_current(), thrd_current()) != 0);
	return 0;
}

/* Memory that processes share, and memory that they do not. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct common {
	atomic_int turn, done;
	int numbers[8];
	char text[16];
	pthread_mutex_t lock;
};

int main(void)
{
	struct common *common = mmap(0, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int *own = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t kind;
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&common->lock, &kind);
	strcpy(common->text, "before");
	*own = 5;
	/* Each of three adds its number when it is its turn. */
	for (int i = 1; i <= 3; i++) {
		if (fork()) continue;
		while (common->turn != i) sched_yield();
		pthread_mutex_lock(&common->lock);
		common->numbers[i] = common->numbers[i - 1] + i;
		*own += i;
		if (i == 2) strcpy(common->text, "child two");
		common->done++;
		pthread_mutex_unlock(&common->lock);
		common->turn = i + 1;
		_exit(*own);
	}
	common->turn = 1;
	int status, sum = 0;
	while (wait(&status) > 0) sum += WEXITSTATUS(status);
	printf("%d %d %d, %s, %d done\n", common->numbers[1], common->numbers[2], common->numbers[3], common->text,
		common->done);
	printf("own %d, theirs %d\n", *own, sum);
	/* A child that spins on shared memory without a call. */
	atomic_int *flag = &common->turn;
	*flag = 0;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		while (*flag == 0) ;
		_exit(*flag);
	}
	*flag = 9;
	waitpid(child, &status, 0);
	printf("saw %d\n", WEXITSTATUS(status));
	return munmap(common, sizeof *common);
}

/* Semaphores of System V IPC: values, several operations at once, waiting in order, time limits, undoing. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
};

static int add(int id, int at, int change, int flags)
{
	struct sembuf one = { at, change, flags };
	return semop(id, &one, 1) < 0 ? errno : 0;
}

static int value(int id, int at)
{
	return semctl(id, at, GETVAL);
}

/* Until somebody waits: for more (14), or for 0 (15). */
static void until_waits(int id, int at, int command, int count)
{
	while (semctl(id, at, command) != count) usleep(1000);
}

static void values(void)
{
	int id = semget(IPC_PRIVATE, 3, 0600);
	unsigned short all[3] = { 1, 2, 3 };
	struct semid_ds status;
	printf("set: %d\n", semctl(id, 0, SETALL, (union semun){ .array = all }));
	printf("one: %d\n", semctl(id, 1, SETVAL, (union semun){ .val = 20 }));
	printf("too much: %d\n", semctl(id, 1, SETVAL, (union semun){ .val = 32768 }) < 0 ? errno : 0);
	all[0] = 0;
	semctl(id, 0, GETALL, (union semun){ .array = all });
	printf("%d %d %d, mine %d\n", all[0], all[1], all[2], semctl(id, 1, GETPID) == getpid());
	semctl(id, 0, IPC_STAT, (union semun){ .buf = &status });
	printf("%d, mode %o, used %d\n", (int)status.sem_nsems, status.sem_perm.mode, status.sem_otime != 0);
	printf("no such: %d %d\n", semctl(id, 3, GETVAL) < 0 ? errno : 0, add(id, 3, 1, 0));
	printf("none: %d, many: %d\n", semop(id, 0, 0) < 0 ? errno : 0, semop(id, 0, 501) < 0 ? errno : 0);
	printf("overflow: %d\n", add(id, 1, 32767, 0));
	/* All or none. */
	struct sembuf both[] = { { 0, -1, IPC_NOWAIT }, { 2, -4, IPC_NOWAIT } };
	printf("both: %d, %d %d\n", semop(id, both, 2) < 0 ? errno : 0, value(id, 0), value(id, 2));
	both[1].sem_op = -3;
	printf("both: %d, %d %d\n", semop(id, both, 2), value(id, 0), value(id, 2));
	struct sembuf twice[] = { { 0, 2, 0 }, { 0, -1, IPC_NOWAIT }, { 0, -1, IPC_NOWAIT }, { 0, 0, IPC_NOWAIT } };
	printf("in turn: %d, %d\n", semop(id, twice, 4), value(id, 0));
	printf("not zero: %d\n", add(id, 1, 0, IPC_NOWAIT));
	struct timespec limit = { 0, 20000000 };
	struct sembuf wait = { 0, -1, 0 };
	printf("time: %d\n", semtimedop(id, &wait, 1, &limit) < 0 ? errno : 0);
	printf("removed: %d, then %d\n", semctl(id, 0, IPC_RMID), add(id, 0, 1, 0));
	printf("bad: %d %d\n", semget(IPC_PRIVATE, 0, 0600) < 0 ? errno : 0, semget(0x5c5c, 1, 0) < 0 ? errno : 0);
}

/* Who waits has it when it comes, also if who gave it asks for it again at once. */
static void order(void)
{
	int id = semget(IPC_PRIVATE, 2, 0600);
	pid_t child = fork();
	if (child == 0) {
		int error = add(id, 0, -1, 0);
		usleep(20000);
		_exit(error * 2 + add(id, 1, 1, 0));
	}
	until_waits(id, 0, GETNCNT, 1);
	add(id, 0, 1, 0);
	printf("given on: %d\n", add(id, 0, -1, IPC_NOWAIT));
	printf("waited: %d\n", add(id, 1, -1, 0));
	int code;
	wait(&code);
	printf("child: %d\n", WEXITSTATUS(code));
	/* 0 for a moment only. */
	add(id, 0, 1, 0);
	if (fork() == 0) _exit(add(id, 0, 0, 0));
	until_waits(id, 0, GETZCNT, 1);
	add(id, 0, -1, 0);
	add(id, 0, 1, 0);
	wait(&code);
	printf("saw zero: %d, value %d\n", WEXITSTATUS(code), value(id, 0));
	/* It goes away under who waits. */
	if (fork() == 0) _exit(add(id, 0, -5, 0));
	until_waits(id, 0, GETNCNT, 1);
	semctl(id, 0, IPC_RMID);
	wait(&code);
	printf("removed: %d\n", WEXITSTATUS(code) == EIDRM);
}

static void undone(void)
{
	int id = semget(IPC_PRIVATE, 2, 0600);
	semctl(id, 0, SETVAL, (union semun){ .val = 5 });
	semctl(id, 1, SETVAL, (union semun){ .val = 5 });
	if (fork() == 0) {
		add(id, 0, -2, SEM_UNDO);
		add(id, 0, 1, 0);
		add(id, 1, 3, SEM_UNDO);
		add(id, 1, -7, 0);
		_exit(value(id, 0) * 10 + value(id, 1));
	}
	int code;
	wait(&code);
	printf("then %d, undone: %d %d\n", WEXITSTATUS(code), value(id, 0), value(id, 1));
	/* Who holds it ends; who waits goes on. */
	semctl(id, 0, SETVAL, (union semun){ .val = 1 });
	if (fork() == 0) {
		add(id, 0, -1, SEM_UNDO);
		until_waits(id, 0, GETNCNT, 1);
		kill(getpid(), SIGTERM);
	}
	while (value(id, 0)) usleep(1000);
	printf("after its end: %d\n", add(id, 0, -1, 0));
	wait(&code);
	printf("signal %d\n", WTERMSIG(code));
	/* Setting a value forgets what was to be undone. */
	if (fork() == 0) {
		add(id, 0, 1, SEM_UNDO);
		semctl(id, 0, SETVAL, (union semun){ .val = 7 });
		_exit(0);
	}
	wait(&code);
	printf("set: %d\n", value(id, 0));
	semctl(id, 0, IPC_RMID);
}

static int shared, set;

static void *count(void *from)
{
	for (int i = 0; i < 3; i++) {
		add(set, 0, -1, 0);
		int seen = shared;
		sched_yield();
		shared = seen + *(int *)from;
		add(set, 0, 1, 0);
	}
	return 0;
}

static void threads(void)
{
	set = semget(IPC_PRIVATE, 1, 0600);
	pthread_t other;
	int one = 1, ten = 10;
	pthread_create(&other, 0, count, &ten);
	add(set, 0, 1, 0);
	count(&one);
	pthread_join(other, 0);
	printf("threads: %d\n", shared);
	semctl(set, 0, IPC_RMID);
}

int main(void)
{
	setvbuf(stdout, 0, _IOLBF, 0);
	values();
	order();
	undone();
	threads();
	return 0;
}

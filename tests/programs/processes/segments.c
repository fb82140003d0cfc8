/* Shared memory of System V IPC: made, found by key, attached, shared, detached, removed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shmid_ds status;

static void tell(const char *when, int id)
{
	if (shmctl(id, IPC_STAT, &status) < 0) {
		printf("%s: error %d\n", when, errno);
		return;
	}
	printf("%s: %zu bytes, %d attached, mode %o, key %d, made by %d, used by %d, %d %d %d\n", when, status.shm_segsz,
		(int)status.shm_nattch, status.shm_perm.mode, status.shm_perm.__key != IPC_PRIVATE,
		status.shm_cpid == getpid(), status.shm_lpid == getpid(), status.shm_atime != 0, status.shm_dtime != 0,
		status.shm_ctime != 0);
}

static void errors(key_t key)
{
	int id = shmget(key, 100, IPC_CREAT | IPC_EXCL | 0600);
	printf("made: %d\n", id >= 0);
	printf("again: %d\n", shmget(key, 100, IPC_CREAT | IPC_EXCL | 0600) < 0 ? errno : 0);
	printf("found: %d\n", shmget(key, 50, 0) == id && shmget(key, 0, IPC_CREAT | 0600) == id);
	printf("larger: %d\n", shmget(key, 101, 0) < 0 ? errno : 0);
	printf("nothing: %d\n", shmget(IPC_PRIVATE, 0, 0600) < 0 ? errno : 0);
	printf("another: %d\n", shmget(key + 1, 100, 0600) < 0 ? errno : 0);
	printf("no such: %d\n", shmat(987654, 0, 0) == (void *)-1 ? errno : 0);
	printf("not attached: %d\n", shmdt(&id) < 0 ? errno : 0);
	printf("command: %d\n", shmctl(id, 77, 0) < 0 ? errno : 0);
	tell("new", id);
	struct shmid_ds change = status;
	change.shm_perm.mode = 0640;
	printf("set: %d\n", shmctl(id, IPC_SET, &change));
	tell("set", id);
	printf("removed: %d\n", shmctl(id, IPC_RMID, 0));
	printf("removed again: %d\n", shmctl(id, IPC_RMID, 0) < 0 ? errno : 0);
	printf("gone: %d\n", shmget(key, 0, 0) < 0 ? errno : 0);
}

/* What is in a segment stays when nobody has attached it. */
static void kept(void)
{
	int id = shmget(IPC_PRIVATE, 5000, 0600);
	char *p = shmat(id, 0, 0);
	printf("empty: %d\n", p[0] == 0 && p[4999] == 0);
	strcpy(p, "kept");
	p[4999] = 'e';
	tell("attached", id);
	printf("detached: %d\n", shmdt(p));
	tell("detached", id);
	pid_t child = fork();
	if (child == 0) {
		char *mine = shmat(id, 0, 0);
		mine[0] = 'K';
		_exit(mine[4999]);
	}
	int code;
	waitpid(child, &code, 0);
	tell("child has ended", id);
	p = shmat(id, 0, 0);
	printf("%s, %c, %c\n", p, WEXITSTATUS(code), p[4999]);
	/* Removed with its last attachment. */
	shmctl(id, IPC_RMID, 0);
	tell("marked", id);
	child = fork();
	if (child == 0) {
		tell("in the child", id);
		fflush(stdout);
		p[1] = 'E';
		if (shmdt(p)) _exit(1);
		_exit(0);
	}
	waitpid(child, &code, 0);
	printf("%d %s\n", WEXITSTATUS(code), p);
	tell("back", id);
	shmdt(p);
	tell("destroyed", id);
}

/* What was written stays when memory is unmapped. */
static void unmapped(void)
{
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fork() == 0) {
		p[0] = 'm';
		_exit(munmap(p, 4096));
	}
	wait(0);
	printf("the child wrote %c\n", p[0]);
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	p = shmat(id, 0, 0);
	p[0] = 's';
	printf("unmapped: %d\n", munmap(p, 4096));
	tell("unmapped", id);
	p = shmat(id, 0, 0);
	printf("it has %c\n", p[0]);
	shmctl(id, IPC_RMID, 0);
	shmdt(p);
}

/* Two processes take turns. */
static void turns(void)
{
	int id = shmget(IPC_PRIVATE, 2 * sizeof(int), 0600);
	volatile int *p = shmat(id, 0, 0);
	shmctl(id, IPC_RMID, 0);
	if (fork() == 0) {
		for (int i = 0; i < 3; i++) {
			while (p[0] % 2 == 0) ;
			p[1] = p[1] * 10 + p[0];
			p[0]++;
		}
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		p[1] = p[1] * 10 + p[0];
		p[0]++;
		while (p[0] % 2 == 1) ;
	}
	wait(0);
	printf("turns: %d, %d\n", p[0], p[1]);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, 0, _IOLBF, 0);
	char path[] = "ipcXXXXXX";
	close(mkstemp(path));
	key_t key = ftok(path, 'p');
	printf("key: %d %d\n", key != -1, key == ftok(path, 'p'));
	errors(key);
	unlink(path);
	kept();
	unmapped();
	turns();
	return 0;
}

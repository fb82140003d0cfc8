/* arguments: --sym-arg 2
 *
 * Input that goes through objects of System V IPC, and faults there. */
#include <string.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
	long type;
	char text[2];
};

static int through_memory(char *input)
{
	int id = shmget(IPC_PRIVATE, 2, 0600), code;
	if (fork() == 0) {
		char *p = shmat(id, 0, 0);
		p[0] = input[1];
		p[1] = input[1] < 64 ? 's' : 'l';
		_exit(0);
	}
	wait(&code);
	char *p = shmat(id, 0, 0);
	shmctl(id, IPC_RMID, 0);
	int result = p[0] == '7' ? 7 : p[1];
	shmdt(p);
	if (result == 7) return *p; //~ ptr: memory error: use after free
	return result;
}

static int through_messages(char *input)
{
	int id = msgget(IPC_PRIVATE, 0600);
	struct message message = { 5, "" };
	if (fork() == 0) {
		memcpy(message.text, input, 2);
		msgsnd(id, &message, 2, 0);
		_exit(0);
	}
	msgrcv(id, &message, 2, 5, 0);
	msgctl(id, IPC_RMID, 0);
	return message.text[1] == 'x' ? 20 : 21;
}

static int through_semaphores(char *input)
{
	int id = semget(IPC_PRIVATE, 1, 0600);
	if (input[1] == 'd') {
		struct sembuf take = { 0, -1, 0 };
		semop(id, &take, 1); //~ deadlock: deadlock: the only thread waits
	}
	union semun { int val; void *place; } argument;
	argument.val = input[1];
	semctl(id, 0, SETVAL, argument);
	int value = semctl(id, 0, GETVAL);
	semctl(id, 0, IPC_RMID);
	return value == 'y' ? 30 : 31;
}

int main(int argc, char **argv)
{
	if (argc < 2 || !argv[1][0]) return 1;
	switch (argv[1][0]) {
	case 'm': return through_memory(argv[1]);
	case 'q': return through_messages(argv[1]);
	case 's':
		/* One of few values: numbers are not symbolic. */
		if (argv[1][1] != 'd' && argv[1][1] != 'y' && argv[1][1] != 'z') return 2;
		return through_semaphores(argv[1]);
	}
	return 0;
}

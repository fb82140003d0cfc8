/* Operations on objects of System V IPC in a random order, none of which waits: what comes of each. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

enum { SETS = 2, QUEUES = 2, SEGMENTS = 3, STEPS = 1500 };

/* Keys that nobody else on the machine has. */
#define KEYS (0x40000000 + getpid() * 4)

static unsigned seed = 20261129;
static int sets[SETS], queues[QUEUES], segments[SEGMENTS];
static char *attached[SEGMENTS];
/* All that were made, of each kind. */
static int made[3][STEPS], count[3];

static unsigned draw(unsigned bound)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % bound;
}

static void tell(const char *what, long result)
{
	printf("%s %ld %d\n", what, result, result < 0 ? errno : 0);
}

static int keep(int kind, int id)
{
	if (id >= 0) made[kind][count[kind]++] = id;
	return id;
}

static void semaphores(void)
{
	int at = draw(SETS), id = sets[at];
	struct sembuf operations[3];
	int many = 1 + draw(3);
	switch (draw(8)) {
	case 0:
		sets[at] = keep(0, semget(draw(3) ? IPC_PRIVATE : KEYS + at, draw(8) ? 1 + draw(3) : 0, (draw(6) ? IPC_CREAT : 0) | (draw(9) == 0 ? IPC_EXCL : 0) | 0600));
		tell("semget", sets[at] < 0 ? -1 : 0);
		break;
	case 1:
		if (draw(9) == 0) tell("remove", semctl(id, 0, IPC_RMID));
		break;
	case 2: tell("set", semctl(id, draw(8) ? draw(2) : 3, SETVAL, (int)draw(5) - 1 + (draw(9) ? 0 : 32767))); break;
	case 3: tell("value", semctl(id, draw(8) ? draw(2) : 3, GETVAL)); break;
	case 4: tell("waiting", semctl(id, draw(8) ? draw(2) : 3, draw(2) ? GETNCNT : GETZCNT)); break;
	default:
		for (int i = 0; i < many; i++)
			operations[i] = (struct sembuf){ draw(8) ? draw(2) : 2, (int)draw(7) - 3, IPC_NOWAIT | (draw(2) ? SEM_UNDO : 0) };
		tell("operate", semop(id, operations, many));
	}
}

static void messages(void)
{
	struct { long type; char text[32]; } message = { (long)(draw(9) ? 1 + draw(4) : 0), "" };
	int at = draw(QUEUES), id = queues[at], size = draw(20);
	long got;
	struct msqid_ds status;
	switch (draw(8)) {
	case 0:
		queues[at] = keep(1, msgget(draw(3) ? IPC_PRIVATE : KEYS + at, (draw(2) ? IPC_CREAT : 0) | 0600));
		tell("msgget", queues[at] < 0 ? -1 : 0);
		break;
	case 1:
		if (draw(9) == 0) tell("remove", msgctl(id, IPC_RMID, 0));
		break;
	case 2:
		if (msgctl(id, IPC_STAT, &status) < 0) break;
		printf("%d messages, %d bytes, room %d\n", (int)status.msg_qnum, (int)status.__msg_cbytes, (int)status.msg_qbytes);
		status.msg_qbytes = 10 + draw(60);
		tell("room", msgctl(id, IPC_SET, &status));
		break;
	case 3:
	case 4:
		got = msgrcv(id, &message, size, (long)draw(9) - 4, IPC_NOWAIT | (draw(3) ? 0 : MSG_EXCEPT) | (draw(2) ? MSG_NOERROR : 0));
		tell("receive", got);
		if (got >= 0) printf("%ld %.*s\n", message.type, (int)got, message.text);
		break;
	default:
		memset(message.text, 'a' + draw(26), sizeof message.text);
		tell("send", msgsnd(id, &message, size, IPC_NOWAIT));
	}
}

static void memory(void)
{
	int at = draw(SEGMENTS), id = segments[at];
	struct shmid_ds status;
	switch (draw(6)) {
	case 0:
		if (attached[at]) break;
		segments[at] = keep(2, shmget(draw(3) ? IPC_PRIVATE : KEYS + at, draw(9000), (draw(2) ? IPC_CREAT : 0) | 0600));
		tell("shmget", segments[at] < 0 ? -1 : 0);
		break;
	case 1:
		if (attached[at]) break;
		attached[at] = shmat(id, 0, 0);
		if (attached[at] == (void *)-1) attached[at] = 0;
		tell("attach", attached[at] ? 0 : -1);
		break;
	case 2:
		if (!attached[at]) break;
		tell("detach", shmdt(attached[at]));
		attached[at] = 0;
		break;
	case 3:
		if (draw(3) == 0) tell("remove", shmctl(id, IPC_RMID, 0));
		break;
	case 4:
		if (shmctl(id, IPC_STAT, &status) == 0)
			printf("%zu bytes, %d attached, mode %o\n", status.shm_segsz, (int)status.shm_nattch, status.shm_perm.mode);
		break;
	case 5:
		if (!attached[at]) break;
		tell("byte", attached[at][0]);
		attached[at][0] = draw(100);
	}
}

int main(void)
{
	setvbuf(stdout, 0, _IOFBF, 1 << 16);
	for (int i = 0; i < SETS; i++) sets[i] = -1;
	for (int i = 0; i < QUEUES; i++) queues[i] = -1;
	for (int i = 0; i < SEGMENTS; i++) segments[i] = -1;
	for (int i = 0; i < STEPS; i++) {
		switch (draw(3)) {
		case 0: semaphores(); break;
		case 1: messages(); break;
		case 2: memory(); break;
		}
	}
	/* Nothing stays. */
	for (int i = 0; i < count[0]; i++) semctl(made[0][i], 0, IPC_RMID);
	for (int i = 0; i < count[1]; i++) msgctl(made[1][i], IPC_RMID, 0);
	for (int i = 0; i < count[2]; i++) shmctl(made[2][i], IPC_RMID, 0);
	return 0;
}

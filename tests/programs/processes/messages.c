/* Queues of messages of System V IPC: types, sizes, full and empty queues, who waits, removal. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
	long type;
	char text[9000];
};

static struct message message;

static int give(int id, long type, const char *text, int flags)
{
	message.type = type;
	strcpy(message.text, text);
	return msgsnd(id, &message, strlen(text) + 1, flags) < 0 ? errno : 0;
}

static void get(int id, size_t size, long type, int flags)
{
	memset(&message, 0, sizeof message);
	ssize_t got = msgrcv(id, &message, size, type, flags);
	if (got < 0) printf("error %d\n", errno);
	else printf("%ld: %ld, %s\n", (long)got, message.type, message.text);
}

static void types(void)
{
	int id = msgget(IPC_PRIVATE, 0600);
	give(id, 3, "three", 0);
	give(id, 1, "one", 0);
	give(id, 2, "two", 0);
	give(id, 1, "one again", 0);
	struct msqid_ds status;
	msgctl(id, IPC_STAT, &status);
	printf("%d messages, mode %o, room for %d, mine %d, sent %d, received %d\n", (int)status.msg_qnum,
		status.msg_perm.mode, (int)status.msg_qbytes, status.msg_lspid == getpid(), status.msg_stime != 0,
		status.msg_rtime != 0);
	get(id, 100, -2, 0);
	get(id, 100, 3, MSG_EXCEPT);
	get(id, 2, 0, 0);
	get(id, 2, 0, MSG_NOERROR);
	get(id, 100, 5, IPC_NOWAIT);
	get(id, 100, 1, IPC_NOWAIT);
	get(id, 100, 0, IPC_NOWAIT);
	printf("type: %d, size: %d\n", give(id, 0, "x", 0), msgsnd(id, &message, 8193, 0) < 0 ? errno : 0);
	printf("empty: %d\n", msgsnd(id, &(struct message){ 4 }, 0, 0));
	get(id, 0, 0, 0);
	printf("no such: %d %d\n", give(987654, 1, "x", 0), msgget(0x5c5c, 0) < 0 ? errno : 0);
	printf("removed: %d, then %d\n", msgctl(id, IPC_RMID, 0), give(id, 1, "x", 0));
}

static void waits(void)
{
	int id = msgget(IPC_PRIVATE, 0600), back = msgget(IPC_PRIVATE, 0600), code;
	/* Who waits has the message that it waits for. */
	if (fork() == 0) {
		give(back, 1, "ready", 0);
		get(id, 100, 2, 0);
		_exit(0);
	}
	get(back, 100, 0, 0);
	give(id, 1, "not this", 0);
	give(id, 2, "this", 0);
	wait(0);
	get(id, 100, 2, IPC_NOWAIT);
	get(id, 100, 0, IPC_NOWAIT);
	/* A full queue. */
	struct msqid_ds status;
	msgctl(id, IPC_STAT, &status);
	status.msg_qbytes = 10;
	printf("smaller: %d\n", msgctl(id, IPC_SET, &status));
	printf("room: %d\n", give(id, 1, "12345", 0));
	printf("full: %d\n", give(id, 1, "12345", IPC_NOWAIT));
	if (fork() == 0) _exit(give(id, 7, "later", 0));
	usleep(50000);
	get(id, 100, 0, 0);
	get(id, 100, 0, 0);
	wait(&code);
	printf("sent: %d\n", WEXITSTATUS(code));
	/* It goes away under who waits: natively there is no telling whether the other one does so yet. */
	if (fork() == 0) {
		give(back, 1, "waits", 0);
		get(id, 100, 0, 0);
		_exit(0);
	}
	get(back, 100, 0, 0);
	usleep(500000);
	msgctl(id, IPC_RMID, 0);
	wait(0);
	msgctl(back, IPC_RMID, 0);
}

int main(void)
{
	setvbuf(stdout, 0, _IOLBF, 0);
	types();
	waits();
	return 0;
}

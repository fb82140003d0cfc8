/* What is written is lost or not when the program ends without flushing, by way of buffering, of
 * writing and of ending. */
#define _GNU_SOURCE
#include <klee/klee.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODES = 9, TEXTS = 14, ENDS = 9 };

static char own[1000], big[20000], whole[8192];

static void buffer(int mode)
{
	switch (mode) {
	case 1: setvbuf(stdout, NULL, _IONBF, 0); break;
	case 2: setvbuf(stdout, NULL, _IOLBF, 0); break;
	case 3: setvbuf(stdout, NULL, _IOFBF, 100); break;
	case 4: setvbuf(stdout, own, _IOFBF, sizeof own); break;
	case 5: setvbuf(stdout, own, _IOLBF, 200); break;
	case 6: setvbuf(stdout, own, _IOFBF, 50); break;
	case 7: setbuf(stdout, whole); break;
	case 8: setlinebuf(stdout); break;
	}
}

static void print(int text)
{
	memset(big, 'x', sizeof big);
	switch (text) {
	case 0: printf("a line\n"); printf("no line"); break;
	case 1: puts("one"); putchar('t'); putchar('\n'); fputs("half", stdout); break;
	case 2: for (int i = 0; i < 700; i++) printf("%d%c", i, i % 7 ? ' ' : '\n'); break;
	case 3: fwrite(big, 1, 4096, stdout); break;
	case 4: fwrite(big, 1, 4095, stdout); putchar('y'); break;
	case 5: fwrite(big, 1, 4096, stdout); putchar('z'); break;
	case 6: printf("ab\n"); fwrite(big, 1, 10000, stdout); break;
	case 7: printf("ab"); fflush(stdout); fwrite(big, 1, 4096, stdout); break;
	case 8: fwrite(big, 1, 9000, stdout); printf("\n%s\nrest", "text"); break;
	case 9: big[9990] = '\n'; fwrite(big, 1, 10001, stdout); fputs("q\nr", stdout); break;
	case 10: printf("before\n"); fflush(stdout); printf("behind\n"); break;
	case 11: fputs("mid", stdout); setvbuf(stdout, NULL, _IONBF, 0); break;
	case 12: for (int i = 0; i < 5000; i++) putchar('a' + i % 26); break;
	case 13: fprintf(stderr, "to stderr\n"); printf("to stdout\n"); break;
	}
}

static void quickly(void) { write(1, "quick\n", 6); }
static void late(void) { printf("late\n"); }

static int end(int way)
{
	switch (way) {
	case 0: _exit(5);
	case 1: _Exit(6);
	case 2: at_quick_exit(quickly); quick_exit(7);
	case 3: abort();
	case 4: raise(SIGKILL);
	case 5: kill(getpid(), SIGTERM);
	case 6: *(volatile int *)0 = 1;
	case 7: atexit(late); exit(4);
	}
	return 3;
}

int main(void)
{
	int way = klee_range(0, MODES * TEXTS + ENDS * 2, "way");
	for (int i = 0; i < MODES * TEXTS; i++)
		if (way == i) {
			buffer(i / TEXTS);
			print(i % TEXTS);
			_exit(1);
		}
	for (int i = 0; i < ENDS * 2; i++)
		if (way == MODES * TEXTS + i) {
			print(i % 2 ? 10 : 0);
			return end(i / 2);
		}
	return 0;
}

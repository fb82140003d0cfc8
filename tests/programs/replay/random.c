/* Random bytes by each way to ask the system for them, also in a thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static void draw(const char *who)
{
	unsigned char bytes[24];
	unsigned long word;
	getrandom(bytes, 7, GRND_NONBLOCK);
	getentropy(bytes + 7, 9);
	syscall(SYS_getrandom, bytes + 16, 8, 0);
	printf("%s:", who);
	for (int i = 0; i < 24; i++)
		printf(" %02x", bytes[i]);
	getrandom(&word, sizeof word, 0);
	printf(" %lx\n", word);
	printf("%u\n", arc4random());
	printf("%s: %zd %zd\n", who, getrandom(bytes, 0, 0), getrandom(bytes, 1, 99));
	fflush(stdout);
}

static void *thread(void *unused)
{
	draw("thread");
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t other;
	/* The GNU C Library draws a key for its heap. */
	free(malloc(argc));
	draw(argv[1][0] == 'x' ? "x" : "other");
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	draw("again");
	return 0;
}

/* Loops that write and loops that ask: what is read, and the time, may be another the next time.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 1 --sym-stdin 2 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;

/* yes: what it writes changes nothing for it. */
static void yes(void)
{
	while (write(1, "y\n", 2) == 2) //~ loop: infinite loop
		;
}

/* The same through a buffer of the C library. */
static void yes_buffered(void)
{
	for (;;)
		if (printf("%s and so on..\n", "yes") < 0) //~ loop: infinite loop
			break;
}

/* Reads to the end of the input, and then loops. */
static void behind_the_end(void)
{
	char byte;
	while (read(0, &byte, 1) == 1)
		;
	int tries = 0;
	while (tries < 3) { //~ loop: infinite loop
		tries = (tries + 1) % 3;
	}
}

/* An error that is not gone when it is tried again without a question. */
static void lost_count(int argc)
{
	int left = argc - 2;
	do {
		if (left) //~ loop: infinite loop
			left = argc - 1;
	} while (left >= 0);
}

/* Near misses. */

/* Waits for the input's end. */
static void waits(void)
{
	char byte;
	int count = 0;
	while (read(0, &byte, 1) == 1 && count < 100)
		count++;
}

/* tail -f, which gives up here: asks again and again whether the file has grown. */
static void follows(void)
{
	char byte;
	struct stat known;
	int waited = 0;
	for (int turn = 0; turn < 3000; turn++) {
		if (read(0, &byte, 1) == 1)
			waited = 0;
		fstat(0, &known);
		waited = !waited;
	}
}

/* Waits for a second that comes. */
static void until(void)
{
	struct timespec now, then;
	clock_gettime(CLOCK_MONOTONIC, &then);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		for (int i = 0; i < 30; i++)
			sink = i;
	} while (now.tv_sec * 1000000 + now.tv_nsec / 1000 < then.tv_sec * 1000000 + then.tv_nsec / 1000 + 1500);
}

/* Reads a file from its beginning, as long as it is short. */
static void again(void)
{
	char text[8];
	for (int turn = 0; turn < 2000; turn++) {
		int file = open("/dev/zero", O_RDONLY);
		if (read(file, text, 8) != 8)
			break;
		close(file);
	}
}

/* Writes, but not for ever. */
static void writes(void)
{
	for (int i = 0; i < 20000; i++)
		write(1, "y\n", 2);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	switch (argv[1][0]) {
	case 'a': yes(); break;
	case 'b': yes_buffered(); break;
	case 'c': behind_the_end(); break;
	case 'd': lost_count(argc); break;
	case 'A': waits(); break;
	case 'B': follows(); break;
	case 'C': until(); break;
	case 'D': again(); break;
	case 'E': writes(); break;
	}
	return 0;
}

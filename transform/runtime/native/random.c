/* Random numbers of a native replay: in place of those of rand and its relatives, the numbers of the
 * test case (--sym-rand), in order. $PLAT_SOCKETS/rand has them, four bytes each; behind the last one
 * they are 0. Without that file the system's own functions are called. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t *numbers;
static size_t count;
/* The next number, for all processes of the program. */
static atomic_size_t *next;

/* Before what sockets.c does when it is loaded, which hides the directory. */
__attribute__((constructor(101))) static void read_numbers(void)
{
	char path[300];
	struct stat about;
	const char *directory = getenv("PLAT_SOCKETS");
	if (!directory)
		return;
	snprintf(path, sizeof path, "%s/rand", directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	void *shared = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || fstat(fd, &about) != 0) {
		fputs("libplatSockets: the random numbers cannot be read\n", stderr);
		_exit(127);
	}
	next = shared;
	count = (size_t)about.st_size / 4;
	numbers = count ? mmap(NULL, 4 * count, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (numbers == MAP_FAILED)
		count = 0;
	close(fd);
}

static int32_t number(void)
{
	size_t at = atomic_fetch_add(next, 1);
	uint32_t word = 0;
	for (int byte = 0; at < count && byte < 4; byte++)
		word |= (uint32_t)numbers[4 * at + byte] << 8 * byte;
	return (int32_t)word;
}

static int32_t not_negative(void) { return number() & 0x7fffffff; }

/* The system's own function. */
#define SYSTEM(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int rand(void) { return next ? not_negative() : SYSTEM(rand)(); }
int rand_r(unsigned *seed) { return next ? not_negative() : SYSTEM(rand_r)(seed); }
long random(void) { return next ? not_negative() : SYSTEM(random)(); }
long lrand48(void) { return next ? not_negative() : SYSTEM(lrand48)(); }
long mrand48(void) { return next ? number() : SYSTEM(mrand48)(); }
long nrand48(unsigned short state[3]) { return next ? not_negative() : SYSTEM(nrand48)(state); }
long jrand48(unsigned short state[3]) { return next ? number() : SYSTEM(jrand48)(state); }

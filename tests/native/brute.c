/* Brute force: linked with a program, runs it natively once for every input and
 * prints what it did each time.
 *
 * BRUTE_INPUTS lists how many values each input takes, in the order in which the
 * program asks: a byte of klee_make_symbolic or __VERIFIER_nondet takes one of
 * (at most) 256 values, a klee_range as many as the range has. BRUTE_STDIN bytes
 * of standard input and BRUTE_ARGS (lengths) of the last arguments come after
 * them, each byte with the values of BRUTE_ALPHABET (hexadecimal; all 256 if unset).
 *
 * BRUTE_ONLY, a list of inputs in hexadecimal, takes the place of all inputs.
 *
 * Every run is a fork of the process before main. One line per run:
 *     INPUT_HEX exit|signal|skip NUMBER STDOUT_HEX
 * where skip means that the input violates an assumption. */
#define _GNU_SOURCE
#include <klee/klee.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64, SKIP = 98 };

static unsigned char input[MOST];	/* the values of this run */
static unsigned counts[MOST];		/* how many values each takes */
static unsigned bytes_total, asked, intrinsic_total;
static unsigned char alphabet[256];
static unsigned letters;

/* ASan's verdict is an exit code that no program of the corpus uses. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=0:handle_abort=0:redzone=512:detect_stack_use_after_return=0";
}

static void broken(const char *why)
{
	fprintf(stderr, "brute: %s\n", why);
	_exit(97);
}

static unsigned char next(void)
{
	if (asked >= intrinsic_total)
		broken("the program asks for more inputs than its header declares");
	return input[asked++];
}

void klee_make_symbolic(void *addr, size_t nbytes, const char *name)
{
	(void)name;
	for (size_t i = 0; i < nbytes; i++)
		((unsigned char *)addr)[i] = next();
}

int klee_range(int begin, int end, const char *name)
{
	(void)name;
	return begin + 1 == end ? begin : begin + next();
}

void klee_assume(uintptr_t condition)
{
	if (!condition)
		_exit(SKIP);
}

unsigned char __VERIFIER_nondet_uchar(void);
unsigned char __VERIFIER_nondet_uchar(void) { return next(); }
char __VERIFIER_nondet_char(void);
char __VERIFIER_nondet_char(void) { return (char)next(); }
void __VERIFIER_assume(int condition);
void __VERIFIER_assume(int condition) { klee_assume((uintptr_t)condition); }
void reach_error(void);
void reach_error(void) { abort(); }

unsigned klee_is_replay(void) { return 1; }
unsigned klee_is_symbolic(uintptr_t n) { (void)n; return 0; }
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
	(void)file, (void)line, (void)message, (void)suffix;
	abort();
}

static unsigned list(const char *name, unsigned *out)
{
	unsigned n = 0;
	char *text = getenv(name), *end;
	while (text && *text && n < MOST) {
		out[n++] = (unsigned)strtoul(text, &end, 10);
		text = *end ? end + 1 : end;
	}
	return n;
}

static int memory_file(const void *bytes, size_t n)
{
	int fd = memfd_create("brute", 0);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET))
		broken("no memory file");
	return fd;
}

static void report(int status, int out)
{
	for (unsigned i = 0; i < bytes_total; i++)
		printf("%02x", input[i]);
	if (WIFSIGNALED(status))
		printf(" signal %d ", WTERMSIG(status));
	else if (WEXITSTATUS(status) == SKIP)
		printf(" skip 0 ");
	else
		printf(" exit %d ", WEXITSTATUS(status));
	unsigned char buffer[4096];
	ssize_t n;
	lseek(out, 0, SEEK_SET);
	while ((n = read(out, buffer, sizeof buffer)) > 0)
		for (ssize_t i = 0; i < n; i++)
			printf("%02x", buffer[i]);
	putchar('\n');
}

/* In the child: installs this run's standard input and arguments. */
static void install(int argc, char **argv, unsigned stdin_bytes, unsigned *args, unsigned arg_count)
{
	unsigned char *external = input + intrinsic_total;
	dup2(memory_file(external, stdin_bytes), 0);
	external += stdin_bytes;
	for (unsigned i = 0; i < arg_count; i++) {
		memcpy(argv[argc - (int)arg_count + (int)i], external, args[i]);
		external += args[i];
	}
}

/* One run with the present input. In the child this returns, to main. */
static int run(int argc, char **argv, unsigned stdin_bytes, unsigned *args, unsigned arg_count)
{
	int out = memory_file("", 0), status;
	fflush(stdout);
	asked = 0;
	pid_t child = fork();
	if (child == 0) {
		install(argc, argv, stdin_bytes, args, arg_count);
		dup2(out, 1);
		if (!freopen("/dev/null", "w", stderr))
			broken("no /dev/null");
		alarm(10);
		return 1;
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		broken("cannot fork");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 97)
		broken("a run failed");
	report(status, out);
	close(out);
	return 0;
}

static unsigned from_hex(const char *text, unsigned char *out, unsigned most)
{
	unsigned n = 0, value;
	while (n < most && sscanf(text + 2 * n, "%2x", &value) == 1)
		out[n++] = (unsigned char)value;
	return n;
}

__attribute__((constructor)) static void brute(int argc, char **argv)
{
	unsigned args[MOST], stdin_bytes = 0, arg_bytes = 0, index[MOST] = { 0 };
	unsigned arg_count = list("BRUTE_ARGS", args);
	list("BRUTE_STDIN", &stdin_bytes);
	for (unsigned i = 0; i < arg_count; i++)
		arg_bytes += args[i];
	intrinsic_total = list("BRUTE_INPUTS", counts);
	bytes_total = intrinsic_total + stdin_bytes + arg_bytes;
	if (bytes_total > MOST)
		broken("too many inputs");

	char *only = getenv("BRUTE_ONLY");
	if (only) {
		for (char *one = strtok(only, ","); one; one = strtok(NULL, ",")) {
			from_hex(one, input, bytes_total);
			if (run(argc, argv, stdin_bytes, args, arg_count))
				return;
		}
		fflush(stdout);
		_exit(0);
	}

	char *text = getenv("BRUTE_ALPHABET");
	letters = text ? from_hex(text, alphabet, 256) : 256;
	for (unsigned i = 0; !text && i < 256; i++)
		alphabet[i] = (unsigned char)i;
	for (unsigned i = intrinsic_total; i < bytes_total; i++)
		counts[i] = letters;
	unsigned at;
	do {
		for (unsigned i = 0; i < bytes_total; i++)
			input[i] = i < intrinsic_total ? (unsigned char)index[i] : alphabet[index[i]];
		if (run(argc, argv, stdin_bytes, args, arg_count))
			return;
		for (at = 0; at < bytes_total && ++index[at] == counts[at]; at++)
			index[at] = 0;
	} while (at < bytes_total);
	fflush(stdout);
	_exit(0);
}

/* Native replay of a test case: link a harness with this library and run it
 * with KTEST_FILE naming a .ktest file.
 *
 * Inputs are positional: every request takes the next object of the file. A
 * wrong name or size, or too few objects, ends the run with exit status 1,
 * unless KLEE_RUN_TEST_ERRORS_NON_FATAL is set; then the bytes that fit are used
 * and the rest is zero. KLEE_RANDOM replaces the file by random bytes. */
#define _GNU_SOURCE
#include "klee/klee.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2))) static void test_error(const char *format, ...)
{
	va_list ap;
	fputs("KLEE_RUN_TEST_ERROR: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (!getenv("KLEE_RUN_TEST_ERRORS_NON_FATAL"))
		exit(1);
	fputs("KLEE_RUN_TEST_ERROR: Forcing execution to continue\n", stderr);
}

/* The test case. */

struct object {
	char *name;
	unsigned size;
	unsigned char *bytes;
};

static struct object *objects;
static unsigned count, position;

/* A .ktest file: big-endian 32-bit numbers, strings as length and bytes. */
static FILE *file;

static void unreadable(const char *reason)
{
	fprintf(stderr, "KLEE-RUNTIME: unable to open .ktest file: %s\n", reason);
	exit(1);
}

static unsigned char *read_bytes(unsigned n)
{
	unsigned char *bytes = malloc((size_t)n + 1);
	if (!bytes || fread(bytes, 1, n, file) != n)
		unreadable("it ends early");
	bytes[n] = 0;
	return bytes;
}

static unsigned read_number(void)
{
	unsigned char *b = read_bytes(4);
	unsigned n = (unsigned)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
	free(b);
	return n;
}

static void read_test(const char *path)
{
	file = fopen(path, "rb");
	if (!file)
		unreadable(strerror(errno));
	unsigned char *magic = read_bytes(5);
	if (memcmp(magic, "KTEST", 5) && memcmp(magic, "BOUT\n", 5))
		unreadable("not a test case");
	free(magic);
	unsigned version = read_number();
	if (version > 3)
		unreadable("its version is newer than 3");
	for (unsigned args = read_number(); args; args--)
		free(read_bytes(read_number()));
	if (version >= 2) {
		read_number();
		read_number();
	}
	count = read_number();
	objects = calloc(count + 1, sizeof *objects);
	if (!objects)
		unreadable("too many objects");
	for (unsigned i = 0; i < count; i++) {
		objects[i].name = (char *)read_bytes(read_number());
		objects[i].size = read_number();
		objects[i].bytes = read_bytes(objects[i].size);
	}
	fclose(file);
}

static void load_test(void)
{
	char line[4096];
	const char *path = getenv("KTEST_FILE");
	if (objects)
		return;
	if (!path) {
		fputs("KLEE-RUNTIME: KTEST_FILE not set, please enter .ktest path: ", stdout);
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin)) {
			fputs("KLEE-RUNTIME: cannot replay, no KTEST_FILE or user input\n", stderr);
			exit(1);
		}
		line[strcspn(line, "\n")] = 0;
		path = line;
	}
	read_test(path);
}

/* Whether inputs are random; then fills one. */
static bool fill_randomly(unsigned char *bytes, size_t n)
{
	static int mode = -1;
	if (mode < 0) {
		mode = getenv("KLEE_RANDOM") != NULL;
		srandom((unsigned)time(NULL) ^ (unsigned)getpid());
	}
	for (size_t i = 0; mode && i < n; i++)
		bytes[i] = (unsigned char)(random() >> 8);
	return mode;
}

/* Whether an object is part of the environment (arguments, files, calls that
 * fail) and not of the harness. */
static bool of_environment(const char *name)
{
	static const char *const names[] = { "n_args", "stdin", "stdout", "model_version", "read_fail",
		"write_fail", "close_fail", "ftruncate_fail", "getcwd_fail" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	size_t n = strlen(name);
	bool digits = n >= 4 && n <= 6 && !strncmp(name, "arg", 3) && strspn(name + 3, "0123456789") == n - 3;
	bool status = !strcmp(name, "stdin_stat") || !strcmp(name, "stdout_stat") || !strcmp(name, "stdin-stat");
	bool file = *name >= 'A' && *name <= 'Z' && (name[1] == '_' || name[1] == '-') && !strncmp(name + 2, "data", 4);
	return digits || status || file;
}

/* Fills an input from the next object, which has one of two names. */
static void next_input(void *addr, size_t n, const char *name, const char *other_name)
{
	if (fill_randomly(addr, n))
		return;
	load_test();
	while (position < count && strcmp(objects[position].name, name)
		&& strcmp(objects[position].name, other_name) && of_environment(objects[position].name))
		position++;
	if (position >= count) {
		test_error("out of inputs. Will use zero if continuing.");
		memset(addr, 0, n);
		return;
	}
	struct object *o = &objects[position++];
	if (strcmp(o->name, name) && strcmp(o->name, other_name))
		test_error("object name mismatch. Requesting \"%s\" but returning \"%s\"", name, o->name);
	memset(addr, 0, n);
	memcpy(addr, o->bytes, n < o->size ? n : o->size);
	if (n != o->size)
		test_error("object sizes differ. Expected %zu but got %u", n, o->size);
}

/* Inputs of a fuzzer's harness: the number of bytes, in as many bytes as the bound needs, and as many
 * bytes as there can be. */

size_t __plat_fuzz_size(void);
void __plat_fuzz_data(unsigned char *data, size_t size);

static struct object *next_of_fuzzer(const char *name)
{
	load_test();
	while (position < count && strcmp(objects[position].name, name))
		position++;
	if (position >= count) {
		test_error("the test case has no object \"%s\"", name);
		return NULL;
	}
	return &objects[position++];
}

size_t __plat_fuzz_size(void)
{
	struct object *o = next_of_fuzzer("fuzz_size");
	size_t size = 0;
	for (unsigned i = 0; o && i < o->size && i < sizeof size; i++)
		size |= (size_t)o->bytes[i] << 8 * i;
	return size;
}

void __plat_fuzz_data(unsigned char *data, size_t size)
{
	if (!size)
		return;
	struct object *o = next_of_fuzzer("fuzz_data");
	memset(data, 0, size);
	if (o && o->size < size)
		test_error("object sizes differ. Expected %zu but got %u", size, o->size);
	if (o)
		memcpy(data, o->bytes, size < o->size ? size : o->size);
}

/* Inputs. */

void klee_make_symbolic(void *addr, size_t nbytes, const char *name)
{
	if (!name || !*name)
		name = "unnamed";
	next_input(addr, nbytes, name, name);
}

int klee_int(const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	return value;
}

int klee_range(int begin, int end, const char *name)
{
	if (begin >= end) {
		test_error("invalid klee_range(%d,%d,%s)", begin, end, name);
		return begin;
	}
	if ((long)begin + 1 == end)
		return begin;		/* no choice, so no object */
	int value = klee_int(name);
	if (fill_randomly(NULL, 0))
		return (int)(begin + (unsigned)value % ((long)end - begin));
	if (value < begin || value >= end)
		test_error("invalid klee_range(%d,%d,%s) value, got: %d", begin, end, name, value);
	return value;
}

uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t value;
	klee_make_symbolic(&value, sizeof value, "klee_choose");
	if (n && fill_randomly(NULL, 0))
		return value % n;
	if (value >= n)
		test_error("klee_choose failure. max = %lu, got = %lu", (unsigned long)n, (unsigned long)value);
	return value;
}

/* Constraints and questions. */

void klee_assume(uintptr_t condition)
{
	if (!condition)
		test_error("invalid klee_assume");
}

void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
unsigned klee_is_symbolic(uintptr_t n) { (void)n; return 0; }
unsigned klee_is_replay(void) { return 1; }
float klee_get_valuef(float expr) { return expr; }
double klee_get_valued(double expr) { return expr; }
long klee_get_valuel(long expr) { return expr; }
long long klee_get_valuell(long long expr) { return expr; }
int32_t klee_get_value_i32(int32_t expr) { return expr; }
int64_t klee_get_value_i64(int64_t expr) { return expr; }
int klee_get_errno(void) { return errno; }

size_t klee_get_obj_size(void *ptr)
{
	(void)ptr;
	test_error("klee_get_obj_size cannot be replayed: objects have no sizes natively");
	return 0;
}

/* Ends. */

void klee_silent_exit(int status) { exit(status); }
void klee_abort(void) { abort(); }

void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
	fprintf(stderr, "KLEE: ERROR: %s:%d: %s (%s)\n", file, line, message, suffix);
	abort();
}

/* Memory and exploration: the machine does the first, the second is past. */

void klee_check_memory_access(const void *address, size_t size) { (void)address, (void)size; }
void klee_mark_global(void *object) { (void)object; }
void klee_set_forking(unsigned enable) { (void)enable; }
void klee_alias_function(const char *name, const char *other)
{
	test_error("klee_alias_function(\"%s\", \"%s\") cannot be replayed: calls are linked natively", name, other);
}
void klee_open_merge(void) { }
void klee_close_merge(void) { }

void klee_define_fixed_object(void *addr, size_t nbytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)addr & -page;
	size_t length = (uintptr_t)addr + nbytes - start;
	void *got = mmap((void *)start, length, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (got == MAP_FAILED && errno != EEXIST)
		test_error("klee_define_fixed_object(%p, %zu): %s", addr, nbytes, strerror(errno));
}

/* Output. */

void klee_print_expr(const char *msg, ...) { (void)msg; }
void klee_print_range(const char *name, int arg) { (void)name, (void)arg; }
void klee_stack_trace(void) { }
void klee_warning(const char *message) { fprintf(stderr, "KLEE: WARNING: %s\n", message); }

void klee_warning_once(const char *message)
{
	static struct seen { const char *message; struct seen *next; } *all;
	for (struct seen *s = all; s; s = s->next)
		if (!strcmp(s->message, message))
			return;
	struct seen *s = malloc(sizeof *s);
	if (s) {
		*s = (struct seen){ strdup(message), all };
		if (s->message)
			all = s;
	}
	fprintf(stderr, "KLEE: WARNING ONCE: %s\n", message);
}

/* Software-verification harnesses. The object of an input is named after its
 * C type, or after the suffix of the function. Weak: programs bring their own. */

#define weak __attribute__((weak))
#define NONDET(suffix, T) \
	T __VERIFIER_nondet_##suffix(void); \
	weak T __VERIFIER_nondet_##suffix(void) \
	{ \
		T value; \
		next_input(&value, sizeof value, #T, #suffix); \
		return value; \
	}

_Bool __VERIFIER_nondet_bool(void);
weak _Bool __VERIFIER_nondet_bool(void)
{
	unsigned char value;
	next_input(&value, sizeof value, "_Bool", "bool");
	return value & 1;
}

NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned int)
NONDET(unsigned, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int8_t, int8_t)
NONDET(uint8_t, uint8_t)
NONDET(int16_t, int16_t)
NONDET(uint16_t, uint16_t)
NONDET(int32_t, int32_t)
NONDET(uint32_t, uint32_t)
NONDET(int64_t, int64_t)
NONDET(uint64_t, uint64_t)
NONDET(u8, unsigned char)
NONDET(u16, unsigned short)
NONDET(u32, unsigned int)
NONDET(size_t, size_t)
NONDET(loff_t, long long)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(float, float)
NONDET(double, double)
NONDET(pointer, void *)
NONDET(pchar, char *)
NONDET(charp, char *)
NONDET(const_char_pointer, const char *)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)

void __VERIFIER_nondet_memory(void *addr, size_t nbytes);
weak void __VERIFIER_nondet_memory(void *addr, size_t nbytes)
{
	if (nbytes)
		next_input(addr, nbytes, "memory", "memory");
}

void __VERIFIER_atomic_begin(void);
weak void __VERIFIER_atomic_begin(void) { }
void __VERIFIER_atomic_end(void);
weak void __VERIFIER_atomic_end(void) { }

void __VERIFIER_assume(int condition);
weak void __VERIFIER_assume(int condition)
{
	if (!condition)
		test_error("invalid __VERIFIER_assume");
}

void __VERIFIER_error(void);
weak void __VERIFIER_error(void)
{
	fputs("__VERIFIER_error called\n", stderr);
	abort();
}

void reach_error(void);
weak void reach_error(void)
{
	fputs("reach_error called\n", stderr);
	abort();
}

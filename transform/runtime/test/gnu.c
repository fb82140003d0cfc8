/* What the GNU C Library has beyond others. As library.c: the output must not depend on whose library
 * it is. */
#define _GNU_SOURCE
#include <argp.h>
#include <argz.h>
#include <envz.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gnu/libc-version.h>
#include <math.h>
#include <obstack.h>
#include <regex.h>
#include <resolv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static void expressions(void)
{
	static const char *const patterns[] = {"a\\(b\\|c\\)\\+d", "\\<x\\w*\\>", "[[:digit:]]\\{2,3\\}$", "\\(.\\)\\1", "^$", "a\\?b"};
	static const char *const texts[] = {"zabcbd", "a xyz b", "no 1234", "hello", "", "b"};
	for (int p = 0; p < 6; p++) {
		struct re_pattern_buffer buffer = {0};
		char *fastmap = malloc(256);
		struct re_registers registers;
		buffer.fastmap = fastmap;
		re_set_syntax(RE_SYNTAX_GREP);
		const char *why = re_compile_pattern(patterns[p], strlen(patterns[p]), &buffer);
		if (why) {
			puts(why);
			continue;
		}
		for (int t = 0; t < 6; t++) {
			int size = strlen(texts[t]);
			int at = re_search(&buffer, texts[t], size, 0, size, &registers);
			printf("%d %d %d", p, t, at);
			if (at >= 0) printf(" %d %d match %d", registers.start[0], registers.end[0], re_match(&buffer, texts[t], size, at, 0));
			puts("");
		}
		printf("%zu groups\n", buffer.re_nsub);
		regfree(&buffer);
	}
	struct re_pattern_buffer wrong = {0};
	re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
	puts(re_compile_pattern("a(b", 3, &wrong));
	regex_t posix;
	regmatch_t found[2];
	if (!regcomp(&posix, "(a|b)+\\b", REG_EXTENDED | REG_ICASE) && !regexec(&posix, "xxABa y", 2, found, 0))
		printf("%d %d %d %d\n", (int)found[0].rm_so, (int)found[0].rm_eo, (int)found[1].rm_so, (int)found[1].rm_eo);
	char text[100];
	regerror(regcomp(&posix, "[a", 0), &posix, text, sizeof text);
	puts(text);
}

static error_t option(int key, char *value, struct argp_state *state)
{
	switch (key) {
	case 'n': printf("n is %s\n", value); return 0;
	case 'v': puts("verbose"); return 0;
	case ARGP_KEY_ARG: printf("argument %s\n", value); return 0;
	case ARGP_KEY_END: printf("%d arguments\n", state->arg_num); return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void arguments(void)
{
	static const struct argp_option options[] = {
		{"number", 'n', "N", 0, "A number of things"}, {"verbose", 'v', 0, 0, "Say more"}, {0}};
	static const struct argp parser = {options, option, "FILE...", "Does nothing.\vThat is all."};
	char *line[] = {"tool", "-v", "one", "--num=3", "two", 0};
	printf("%d\n", argp_parse(&parser, 5, line, ARGP_IN_ORDER, 0, 0));
	argp_help(&parser, stdout, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_POST_DOC, "tool");
}

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static void trees(void)
{
	char directory[] = "/tmp/plat-gnu-XXXXXX";
	if (!mkdtemp(directory) || chdir(directory)) return;
	mkdir("d", 0755);
	mkdir("d/e", 0755);
	mkdir("d/skipped", 0755);
	close(open("d/e/file", O_CREAT | O_WRONLY, 0600));
	close(open("d/skipped/hidden", O_CREAT | O_WRONLY, 0600));
	symlink("e", "d/link");
	symlink("nowhere", "d/broken");
	symlink("..", "d/e/loop");
	for (int options = FTS_PHYSICAL | FTS_NOCHDIR; options; options = options & FTS_PHYSICAL ? FTS_LOGICAL | FTS_NOCHDIR : 0) {
		char *roots[] = {"./d", "absent", 0};
		FTS *walk = fts_open(roots, options, by_name);
		for (FTSENT *entry; (entry = fts_read(walk));) {
			printf("%d %s %s %d %zu\n", entry->fts_info, entry->fts_path, entry->fts_name, entry->fts_level, strlen(entry->fts_path) - entry->fts_pathlen);
			if (!strcmp(entry->fts_name, "skipped") && entry->fts_info == FTS_D) fts_set(walk, entry, FTS_SKIP);
			if (!strcmp(entry->fts_name, "d") && entry->fts_info == FTS_D)
				for (FTSENT *child = fts_children(walk, 0); child; child = child->fts_link) printf("child %s\n", child->fts_name);
		}
		printf("end %d\n", errno);
		fts_close(walk);
	}
	unlink("d/e/file"), unlink("d/skipped/hidden"), unlink("d/link"), unlink("d/broken"), unlink("d/e/loop");
	rmdir("d/e"), rmdir("d/skipped"), rmdir("d");
	chdir("/");
	rmdir(directory);
}

static void randoms(void)
{
	printf("%d %ld\n", rand(), random());
	srand(42);
	for (int i = 0; i < 5; i++) printf("%d ", rand());
	unsigned seed = 7;
	printf("| %d %d\n", rand_r(&seed), rand_r(&seed));
	static char table[8 + 256];
	for (size_t size = 8; size <= 256; size *= 2) {
		char *before = initstate(size, table, size);
		printf("%zu: %ld %ld ", size, random(), random());
		setstate(before);
		printf("%ld ", random());
		setstate(table);
		printf("%ld\n", random());
		setstate(before);
	}
	struct random_data data = {0};
	int32_t number;
	initstate_r(5, table, 64, &data);
	random_r(&data, &number);
	struct drand48_data state = {0};
	double real;
	long integer;
	srand48_r(9, &state);
	drand48_r(&state, &real);
	mrand48_r(&state, &integer);
	printf("%d %a %ld %a\n", number, real, integer, drand48());
}

static void vectors(void)
{
	char *argz = 0, *envz = 0;
	size_t length = 0, size = 0;
	argz_create_sep("one:two::three", ':', &argz, &length);
	argz_insert(&argz, &length, argz_next(argz, length, argz), "and");
	argz_replace(&argz, &length, "t", "TT", 0);
	argz_delete(&argz, &length, argz);
	argz_add(&argz, &length, "last");
	for (char *entry = 0; (entry = argz_next(argz, length, entry));) printf("%s;", entry);
	printf(" %zu %zu\n", argz_count(argz, length), length);
	argz_stringify(argz, length, '+');
	puts(argz);
	envz_add(&envz, &size, "A", "1");
	envz_add(&envz, &size, "B", 0);
	envz_add(&envz, &size, "A", "2");
	printf("%s %d %zu ", envz_get(envz, size, "A"), envz_get(envz, size, "B") == 0, size);
	envz_strip(&envz, &size);
	printf("%zu\n", size);
}

static void others(void)
{
	struct obstack stack;
	obstack_init(&stack);
	obstack_grow(&stack, "begin", 5);
	obstack_printf(&stack, " %d %s", 42, "formatted");
	obstack_1grow(&stack, 0);
	puts(obstack_finish(&stack));
	printf("%s %s %s %s\n", sigabbrev_np(SIGTERM), strerrorname_np(ENOENT), strerrordesc_np(0), gnu_get_libc_release());
	char text[40];
	strfromd(text, sizeof text, "%.3f", 2.0 / 3);
	puts(text);
	printf("%g %g %g\n", roundeven(2.5), roundeven(-3.5), roundeven(0.49));
	printf("%g %g %g %g\n", fmaximum(1, NAN), fmaximum_num(1, NAN), fminimum(0.0, -0.0), fmaxmag(-3, 2));
	printf("%a %d %ld\n", nextup(1.0), nextdown(0.0) == -0x1p-1074, llogb(8));
	printf("%g %g\n", (double)sinf64(0.5), (double)powf32(2, 0.5f));
	char frob[] = "frob";
	memfrob(frob, 4);
	printf("%d %d\n", frob[0], *(char *)rawmemchr("find", 'n'));
	struct __res_state state = {0};
	printf("%d %d\n", res_init(), (_res.options & RES_INIT) != 0);
	printf("%d %d %d\n", res_ninit(&state), (state.options & RES_INIT) != 0, state.retry > 0);
	res_nclose(&state);
}

static void leave(int code, void *what) { printf("%s %d\n", (char *)what, code); }

int main(void)
{
	expressions();
	arguments();
	trees();
	randoms();
	vectors();
	others();
	on_exit(leave, "first");
	on_exit(leave, "second");
	return 3;
}

/* Exercises the C library; its output must not depend on whose library it is. */
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

__attribute__((constructor)) static void before(void) { puts("constructor"); }
static void after(void) { printf("at exit"); }

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static char *format(const char *f, ...)
{
	char *s = NULL;
	va_list ap;
	va_start(ap, f);
	if (vasprintf(&s, f, ap) < 0) abort();
	va_end(ap);
	return s;
}

static void numbers(void)
{
	printf("%d|%5u|%-5x|%#o|%+ld|%zu|%08.3f|%g|%e|%a|%c|%%\n", -7, 42u, 255u, 8u, 9l, sizeof(long), 3.14159, 1e100, 2.5, 1.5, 'x');
	printf("%ld %lu %lld %g\n", strtol("-123abc", NULL, 10), strtoul("0xff", NULL, 0), strtoll("7", NULL, 0), strtod("1.5e3", NULL));
	printf("%.6g %.6g %.6g %.6g %.6g\n", sin(1), pow(2, 0.5), sqrt(2), floor(-1.5), fmod(7, 3));
	printf("%d %d %d\n", isnan(NAN) != 0, isinf(INFINITY) != 0, isfinite(1.0) != 0);
	errno = 0;
	printf("%ld ", strtol("99999999999999999999", NULL, 10));
	printf("%d\n", errno == ERANGE);
	int x, y;
	char word[8];
	printf("%d ", sscanf("12 34 word", "%d %d %7s", &x, &y, word));
	printf("%d %s\n", x + y, word);
}

static void strings(void)
{
	char buffer[64] = "hello";
	strcat(buffer, " world");
	printf("%s %zu %s %s\n", buffer, strlen(buffer), strchr(buffer, 'w'), strstr(buffer, "lo"));
	memmove(buffer + 2, buffer, 5);
	printf("%s %d %d\n", buffer, memcmp("ab", "ac", 2) < 0, strcmp("b", "a") > 0);
	for (char *rest, *t = strtok_r(strcpy(buffer, "a,b;c"), ",;", &rest); t; t = strtok_r(NULL, ",;", &rest))
		printf("<%s>", t);
	printf("%d%d%c\n", !!isalpha('a'), !!isdigit('a'), toupper('q'));
	char *s = format("%s-%d", "formatted", 3);
	puts(s);
	free(s);
	wchar_t wide[8];
	printf("%zu %ls\n", mbstowcs(wide, "wide", 8), wide);
}

static void memory(void)
{
	int *p = malloc(4 * sizeof *p);
	for (int i = 0; i < 4; i++) p[i] = (i * 7 + 3) % 5;
	p = realloc(p, 8 * sizeof *p);
	for (int i = 4; i < 8; i++) p[i] = 10 - i;
	qsort(p, 8, sizeof *p, by_value);
	for (int i = 0; i < 8; i++) printf("%d ", p[i]);
	int key = 4;
	printf("%s\n", bsearch(&key, p, 8, sizeof *p, by_value) ? "found" : "lost");
	free(p);
	char *zero = calloc(3, 5);
	printf("%d\n", zero[14]);
	free(zero);
	errno = 0;
	volatile size_t huge = SIZE_MAX / 2;
	void *volatile none = malloc(huge);
	printf("%d %d\n", none == NULL, errno == ENOMEM);
}

static jmp_buf jump;
static void deeper(int n) { if (n) deeper(n - 1); else longjmp(jump, 7); }

static void control(void)
{
	volatile int count = 0;
	int came = setjmp(jump);
	count++;
	if (!came) deeper(3);
	printf("%d %d\n", came, count);
	sigjmp_buf s;
	if (!sigsetjmp(s, 1)) siglongjmp(s, 1);
	puts("back");
}

static void files(void)
{
	char name[] = "/tmp/plat-library-XXXXXX", line[32];
	int fd = mkstemp(name);
	FILE *f = fdopen(fd, "w+");
	fprintf(f, "one\ntwo\n%d\n", 3);
	rewind(f);
	while (fgets(line, sizeof line, f)) printf("[%.*s]", (int)strcspn(line, "\n"), line);
	struct stat st;
	fflush(f);
	printf("%d %ld\n", fstat(fd, &st), (long)st.st_size);
	fclose(f);
	printf("%d ", unlink(name));
	printf("%d %s\n", open(name, O_RDONLY), strerror(errno));
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	fputs("in memory", m);
	putc('!', m);
	fclose(m);
	printf("%s %zu\n", text, size);
	free(text);
	DIR *d = opendir("/");
	printf("%d\n", d != NULL && readdir(d) != NULL);
	closedir(d);
}

static void libraries(void)
{
	regex_t re;
	regmatch_t m[2];
	regcomp(&re, "a(b+)c", REG_EXTENDED);
	printf("%d ", regexec(&re, "xxabbc", 2, m, 0));
	printf("%d-%d\n", (int)m[1].rm_so, (int)m[1].rm_eo);
	regfree(&re);
	time_t then = 86400 * 365;
	char date[32];
	strftime(date, sizeof date, "%Y-%m-%d %a", gmtime(&then));
	printf("%s %s\n", date, setlocale(LC_ALL, "C"));
	setenv("PLAT_TEST", "set", 1);
	printf("%s\n", getenv("PLAT_TEST"));
	const char *words[] = { "b", "a", "b", "c" };
	void *tree = NULL;
	int distinct = 0;
	for (int i = 0; i < 4; i++)
		distinct += *(const char **)tsearch(words[i], &tree, (int (*)(const void *, const void *))strcmp) == words[i];
	printf("%d\n", distinct);
}

int main(int argc, char **argv)
{
	atexit(after);
	numbers();
	strings();
	memory();
	control();
	files();
	libraries();
	printf("%d %s\n", argc, argv[argc - 1]);
	fprintf(stderr, "to stderr\n");
	return 3;
}

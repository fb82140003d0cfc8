/* Streams that call back, and buffers given to streams. */
#define _GNU_SOURCE
#include "alias.h"
#include <stdio.h>
static int x;
static void *seen;
static ssize_t take(void *cookie, const char *bytes, size_t n) { seen = cookie; return n; }
static void *pass(FILE *f) { return f; }
int main(void)
{
	cookie_io_functions_t functions = { .write = take };
	FILE *f = fopencookie(&x, "w", functions);
	fputs("text", f);
	fclose(f);
	MUSTALIAS(seen, &x);
	MUSTALIAS(pass(stdout), stdout);
	static char buffer[BUFSIZ];
	setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
	char line[8] = "", *got = fgets(line, sizeof line, fmemopen("abc", 3, "r"));
	MUSTALIAS(got, line);
	NOALIAS(line, buffer);
	return 0;
}

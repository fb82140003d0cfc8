/* error(3): a message after the program's name, and an exit if asked for. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void report(int status, int code, const char *file, unsigned line, const char *format, va_list ap)
{
	fflush(stdout);
	if (error_print_progname) error_print_progname();
	else fprintf(stderr, "%s:%s", program_invocation_name, file ? "" : " ");
	if (file) fprintf(stderr, "%s:%u: ", file, line);
	vfprintf(stderr, format, ap);
	if (code) fprintf(stderr, ": %s", strerror(code));
	putc('\n', stderr);
	fflush(stderr);
	error_message_count++;
	if (status) exit(status);
}

void error(int status, int code, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	report(status, code, 0, 0, format, ap);
	va_end(ap);
}

void error_at_line(int status, int code, const char *file, unsigned line, const char *format, ...)
{
	static const char *last_file;
	static unsigned last_line;
	if (error_one_per_line) {
		if (last_line == line && last_file && file && !strcmp(last_file, file)) return;
		last_file = file;
		last_line = line;
	}
	va_list ap;
	va_start(ap, format);
	report(status, code, file, line, format, ap);
	va_end(ap);
}

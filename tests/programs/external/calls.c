/* Functions called as machine code: the program is not linked with the C library in bitcode. Every
 * line of output is what the machine gives. */
#include <klee/klee.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the shared library beside this file. */
struct node {
	struct node *next;
	long value;
};
long sum_list(struct node *first);
void reverse_list(struct node **first);
char *find_last(char *text, int c);
long double product(long double a, float b, double c);
int fail_with(int number);
signed char narrow(signed char a, short b, unsigned char c, unsigned short d);
int many(int a, long b, double c, int d, int e, int f, int g, int h, double i, short j);
int variadic(const char *kinds, ...);

static void say(const char *text)
{
	write(1, text, strlen(text));
}

static void number(const char *label, long value)
{
	char line[80];
	snprintf(line, sizeof line, "%s %ld\n", label, value);
	say(line);
}

int main(void)
{
	char line[120];
	int length = snprintf(line, sizeof line, "%s %d %.3f %Lg %c %5.1e\n", "floats", -7,
			      3.14159, 2.5L, 'x', 12345.678);
	say(line);
	number("length", length);

	char *end;
	char text[] = "  2.75e3 rest";
	double parsed = strtod(text, &end);
	number("strtod", (long)(parsed * 4));
	say(end);
	number("\nend", end - text);

	number("getpid", getpid() > 1);

	errno = 0;
	number("fail", fail_with(ENOENT));
	number("errno", errno == ENOENT);

	struct node nodes[3] = {{0, 1}, {&nodes[0], 20}, {&nodes[1], 300}};
	struct node *first = malloc(sizeof *first);
	first->next = &nodes[2];
	first->value = 4000;
	number("sum", sum_list(first));
	reverse_list(&first);
	number("first", first->value);
	for (struct node *node = first; node; node = node->next)
		number("node", node->value);

	number("last", find_last(text, 'e') - text);
	number("product", (long)(product(1.5L, 2.0f, 4.0) * 10));
	number("narrow", narrow(-5, -300, 200, 60000));
	number("many", many(1, 2, 3.5, 4, 5, 6, 7, 8, 9.5, 10));
	number("variadic", variadic("idlid", 1, 2.5, 3L, 4, 5.5));
	puts("printed by the callee");
	return 0;
}

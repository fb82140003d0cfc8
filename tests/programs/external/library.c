/* The shared library of the programs beside this file. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
	struct node *next;
	long value;
};

long sum_list(struct node *first)
{
	long sum = 0;
	for (; first; first = first->next)
		sum += first->value;
	return sum;
}

void reverse_list(struct node **first)
{
	struct node *done = 0;
	while (*first) {
		struct node *next = (*first)->next;
		(*first)->next = done;
		done = *first;
		*first = next;
	}
	*first = done;
}

char *find_last(char *text, int c)
{
	return strrchr(text, c);
}

long double product(long double a, float b, double c)
{
	return a * b * c;
}

int fail_with(int number)
{
	errno = number;
	return -1;
}

signed char narrow(signed char a, short b, unsigned char c, unsigned short d)
{
	return a + (b == -300) + (c == 200) + (d == 60000);
}

int many(int a, long b, double c, int d, int e, int f, int g, int h, double i, short j)
{
	return a + b * 2 + c * 2 + d * 3 + e * 5 + f * 7 + g * 11 + h * 13 + i * 2 + j * 17;
}

int variadic(const char *kinds, ...)
{
	va_list list;
	double sum = 0;
	va_start(list, kinds);
	for (; *kinds; kinds++)
		sum += *kinds == 'd' ? va_arg(list, double) * 2
		       : *kinds == 'l' ? va_arg(list, long)
				       : va_arg(list, int);
	va_end(list);
	return sum * 10;
}

void crash(void)
{
	*(volatile int *)8 = 1;
}

void hang(void)
{
	for (;;)
		pause();
}

void overrun(char *text)
{
	text[40] = 1;
}

char *own_memory(void)
{
	return strdup("own");
}

void leave(void)
{
	_exit(7);
}

static int counter;

int count(void)
{
	return ++counter;
}

int twice(int x)
{
	return 2 * x;
}

int first_byte(const unsigned char *bytes)
{
	return bytes[0];
}

/* Calls with another prototype than the function's, and addresses of functions as integers. */
#include "alias.h"
static int x, y;
static int *pick(int *a, int *b) { return b; }
static int *one(int *a) { return a; }
static void *generic[2];
static int *variadic(int n, ...)
{
	va_list list;
	va_start(list, n);
	int *p = va_arg(list, int *);
	va_end(list);
	return p;
}
int main(int argc, char **argv)
{
	int *(*more)(int *, int *, int *) = (int *(*)(int *, int *, int *))one;
	MUSTALIAS(more(&x, &y, &y), &x);
	long (*as_long)(long, long) = (long (*)(long, long))pick;
	MUSTALIAS((void *)as_long((long)&x, (long)&y), &y);
	generic[argc] = (void *)pick;
	MUSTALIAS(((int *(*)(int *, int *))generic[1])(&y, &x), &x);
	uintptr_t number = (uintptr_t)one;
	MUSTALIAS(((int *(*)(int *))number)(&y), &y);
	int *(*volatile further)(int, ...) = variadic;
	MUSTALIAS(further(1, &x), &x);
	NOALIAS(&x, &y);
	return 0;
}

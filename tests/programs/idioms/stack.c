/* Words on the stack by inline assembly, in pieces and in one. */
#include <stdio.h>

static volatile unsigned long some = 16;

/* A frame of a size that is not known is found by its base, and has nothing below the stack pointer. */
#define FRAME() __asm__ volatile("" ::"r"(__builtin_alloca(some)) : "memory")

#define push(v) __asm__ volatile("push %0" ::"r"((long)(v)) : "memory")
#define pop(v) __asm__ volatile("pop %0" : "=r"(v)::"memory")

static __attribute__((noinline)) long swapped(long a, long b)
{
	FRAME();
	push(a);
	push(b);
	pop(a);
	pop(b);
	return a * 10 + b;
}

/* The second operand is no output, but it is written. */
static __attribute__((noinline)) long through_memory(long a)
{
	volatile long from = a, to = 1, other = 2;
	FRAME();
	__asm__ volatile("push %0" ::"m"(from) : "memory");
	from = 3;
	__asm__ volatile("pop %0" ::"m"(to) : "memory");
	__asm__ volatile("pushq %0" ::"i"(40) : "memory");
	__asm__ volatile("popq %0" : "=m"(other)::"memory");
	return to * 100 + from + other;
}

static __attribute__((noinline)) long in_one(long a, long b)
{
	__asm__("push %0\n\tpush %1; pop %0\n\tpop %1" : "+r"(a), "+r"(b));
	return a * 10 + b;
}

static __attribute__((noinline)) long deep(long n)
{
	long kept;
	FRAME();
	push(n);
	long below = n > 0 ? deep(n - 1) : 0;
	pop(kept);
	return below * 10 + kept;
}

int main(int argc, char **argv)
{
	long digit = argc > 1 ? argv[1][0] - '0' : 0;
	printf("%ld %ld %ld\n", swapped(1, 2), in_one(3, 4), deep(4));
	if (through_memory(digit) == 743) puts("seven");
	if (swapped(digit, 5) == 58) puts("eight");
	return 0;
}

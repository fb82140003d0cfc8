/* What the optimiser makes of C: distances as p + ~q, vectors, the compiler's own setjmp, assembly
 * without instructions, system calls with arguments left out, mathematical builtins. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int ints __attribute__((vector_size(16)));

static char *append(char *end, const char *from, uintptr_t past, uintptr_t start)
{
	size_t length = past + ~start;
	memcpy(end, from, length);
	return end + length;
}

static void *buffer[5];

static void __attribute__((noinline)) leave(void)
{
	__builtin_longjmp(buffer, 1);
}

static double sum(int count, ...)
{
	va_list list;
	double total = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++) {
		ints four = va_arg(list, ints);
		total += four[i & 3];
	}
	va_end(list);
	return total;
}

int main(void)
{
	char text[32], *word = strdup("distance"), *other = malloc(32);
	char *end = append(text, word, (uintptr_t)word + 5, (uintptr_t)word);
	end = append(end, "xyz", (uintptr_t)other + 4, (uintptr_t)other);
	*end = '\0';
	printf("%s %td\n", text, end - text);

	volatile int turns = 0;
	if (__builtin_setjmp(buffer) == 0 || turns < 3) {
		++turns;
		leave();
	}
	printf("%d turns\n", turns);

	int in = 41, out;
	__asm__ volatile("" : "=r"(out) : "0"(in) : "memory");
	__asm__ volatile("# a comment" ::: "memory");
	printf("%d\n", out + 1);

	printf("%d %ld\n", fcntl(1, F_GETFD), (long)(syscall(SYS_getpid) == getpid()));
	ints a = { 1, 2, 3, 4 }, b = { 10, 20, 30, 40 };
	printf("%g\n", sum(3, a, a + b, b));

	volatile double x = 2.0;
	printf("%.6f %.6f %.6f\n", __builtin_sqrt(x), __builtin_pow(x, 0.5), __builtin_ldexp(x, 5));
	printf("%d\n", __builtin_isnan(x) || __builtin_isinf(x));
	free(word);
	free(other);
	return 0;
}

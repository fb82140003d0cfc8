/* Calls of all kinds, switches, recursion, variable arguments, jumps. */
#include "show.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

static int order;
__attribute__((constructor(101))) static void first(void) { order = order * 10 + 1; }
__attribute__((constructor(102))) static void second(void) { order = order * 10 + 2; }
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*functions[])(int) = { twice, thrice };
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int n); static int even(int n) { return n == 0 || odd(n - 1); } static int odd(int n) { return n != 0 && even(n - 1); }
static int pick(int x) { switch (x) { case -5: return 1; case 3: case 4: return 2; case 1000000: return 3; case 7 ... 12: return 4; default: return 5; } }
static int wide(unsigned long x) { switch (x) { case 0xffffffffffffffff: return 1; case 1ul << 40: return 2; } return 3; }
struct pair { double a; long b; };
struct triple { long a, b, c; };
static long mixed(const char *what, ...)
{
	va_list list, again; va_start(list, what); va_copy(again, list); long sum = 0;
	for (; *what; what++) switch (*what) {
		case 'i': sum += va_arg(list, int); break;
		case 'l': sum += va_arg(list, long); break;
		case 'd': sum += (long)(va_arg(list, double) * 8); break;
		case 'p': sum += *va_arg(list, char *); break;
		case 'c': sum += (char)va_arg(list, int); break;
		case 'x': sum += (long)(va_arg(list, long double) * 4); break;
		case 's': { struct triple t = va_arg(list, struct triple); sum += t.a + t.c; break; }
		case 'q': { struct pair t = va_arg(list, struct pair); sum += (long)t.a + t.b; break; }
		case 'w': sum += (long)(va_arg(list, __int128) >> 64); break;
	}
	sum += va_arg(again, int); va_end(again); va_end(list); return sum;
}
static jmp_buf env; static int depth;
static void dive(int n) { if (n == 0) longjmp(env, 9); depth++; dive(n - 1); }
static int swap(int n) { int a = 1, b = 2, c = 3; for (int i = 0; i < n; i++) { int t = a; a = b; b = c; c = t + i; } return a * 10000 + b * 100 + c; }

int main(void)
{
	SHOW(order); SHOW(functions[0](21)); SHOW(functions[1](21)); SHOW(fib(15)); SHOW(even(10)); SHOW(odd(10));
	SHOW(pick(-5)); SHOW(pick(4)); SHOW(pick(1000000)); SHOW(pick(10)); SHOW(pick(0)); SHOW(wide(-1)); SHOW(wide(1ul << 40)); SHOW(wide(1));
	SHOW(mixed("iildpc", 3, -4, 1l << 35, 2.75, "A", 'x'));
	SHOW(mixed("ixiwd", 1, 5.25L, -2, ((__int128)77 << 64) + 5, 1.125));
	SHOW(mixed("isiqi", 1, (struct triple){ 5, 6, 7 }, 2, (struct pair){ 2.5, 9 }, 3));
	volatile int got = setjmp(env); SHOW(got); if (!got) dive(5); SHOW(depth);
	SHOW(swap(1)); SHOW(swap(2)); SHOW(swap(7));
	int n = 0; for (int i = 0; i < 100; i++) { if (i % 3) continue; if (i > 50) break; n += i; } SHOW(n);
	return order;
}

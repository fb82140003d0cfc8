/* Functions of two input bytes: symbolically one exploration, natively all 65536 inputs.
 * -DTEST=n chooses one; -DNATIVE makes the native loop. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

static int branches(byte a, byte b)
{
	if (a > 200) return a == b ? 1 : 2;
	if (a + b == 100) return 3;
	if ((a ^ b) & 0x80) return a * 3 == b ? 4 : 5;
	return a < b ? 6 : 7;
}

static int switches(byte a, byte b)
{
	switch (a) {
	case 1: case 2: case 3: return 10;
	case 200: if (b == 7) return 11;
	case 201: return 12;
	default: switch (b & 7) { case 0: return 13; case 5: return 14; case 6: return 13; }
	}
	return 15;
}

static int tables(byte a, byte b)
{
	static const byte table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
	int rows[4][4] = { 0 };
	rows[a & 3][b & 3] = 7;
	if (rows[1][2]) return 20 + rows[(a + 1) & 3][b & 3];
	return table[a & 15] + (table[b >> 4] > 5 ? 40 : 60);
}

static int pointers(byte a, byte b)
{
	int *cells[4];
	for (int i = 0; i < 4; i++) { cells[i] = malloc(8); cells[i][0] = i; cells[i][1] = i * i; }
	int *p = cells[a & 3], *q = cells[(b >> 1) & 3];
	p[1] = 30;
	int r = q[b & 1] + (p == q ? 100 : 0);
	*cells[b & 3] += 2;
	r += *p;
	for (int i = 0; i < 4; i++) free(cells[i]);
	return r;
}

static int plus(int x) { return x + 1; }
static int minus(int x) { return x - 1; }
static int zero(int x) { return x > 3; }
static int calls(byte a, byte b)
{
	int (*functions[])(int) = { plus, minus, zero };
	if (a > 2) return 99;
	return 50 + functions[a](b & 7);
}

static int strings(byte a, byte b)
{
	char text[8] = "xy";
	text[0] = a; text[1] = b;
	if (!strcmp(text, "ok")) return 70;
	if (strlen(text) < 2) return 71 + (int)strlen(text);
	if (memchr(text, 'k', 2)) return 73;
	char copy[8]; strcpy(copy, text);
	return memcmp(copy, "zz", 2) < 0 ? 74 : 75;
}

static int sizes(byte a, byte b)
{
	size_t n = a & 7;
	byte *p = malloc(n + 1), q[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	memset(p, b, n + 1);
	memcpy(p, q, n);
	int r = p[n] == 5 ? 80 : 81 + p[0] % 3;
	memmove(q + 1, q, n);
	free(p);
	return r + q[3];
}

static int arithmetic(byte a, byte b)
{
	int x = a * 3 - 70, y = (b & 15) + 1, z = (signed char)a >> (b & 7);
	unsigned u = x / y, v = x % y;
	long w = (long)a << (b & 31);
	int m = __builtin_popcount(a) + __builtin_clz(b | 256) - 23 + __builtin_ctz(a | 512);
	signed char s; int lost = __builtin_add_overflow((signed char)a, (signed char)b, &s);
	return ((int)u < 0) + 2 * (v > 3) + 4 * (z < -2) + 8 * (w > 5000) + 16 * (m > 9) + 32 * lost + 64 * (__builtin_bswap16(a * 256 + b) > 0x8000);
}

static jmp_buf env;
static int jumps(byte a, byte b)
{
	volatile int n = 0;
	int got = setjmp(env);
	if (got) return 90 + n + (got == 7);
	n = a > b;
	if (a == 33) longjmp(env, b > 9 ? 7 : 1);
	return 95;
}

static int loops(byte a, byte b)
{
	int n = 0, i = a & 15;
	while (i > 0) { n += i & b; i -= 3; if (n > 12) break; }
	return 110 + n;
}

/* What is read behind a jump only: no optimiser may move a volatile load there. Another call of the
 * same function, with other values, comes in between. */
static volatile byte here[4];
static jmp_buf levels[2];
static int kept_at(byte a, byte b, int level);
__attribute__((noinline)) static void leap(byte a, byte b, int level)
{
	if (a != 33 && b != 44) return;
	kept_at(1, 2, 1);
	longjmp(levels[level], a == 33 ? 7 : 1);
}
__attribute__((noinline)) static int kept_at(byte a, byte b, int level)
{
	here[0] = a, here[1] = b, here[2] = a ^ b, here[3] = 5;
	int k = here[0], l = here[1] & 3, m = here[2] & 4, n = here[3];
	int got = setjmp(levels[level]);
	if (got) return got + (k == 33) * 16 + l * 32 + m + n * (k > 60);
	leap(a, b, level);
	return a > b ? 200 : 201;
}
static int kept(byte a, byte b) { return kept_at(a, b, 0); }

static int (*const tests[])(byte, byte) = { branches, switches, tables, pointers, calls, strings, sizes, arithmetic, jumps, loops, kept };

#ifdef NATIVE
#include <stdio.h>
int main(void)
{
	for (int i = 0; i < 65536; i++) printf("%d\n", tests[TEST](i & 255, i >> 8) & 255);
	return 0;
}
#else
#include <klee/klee.h>
/* One path for each result; an optimiser would see through it. */
__attribute__((optnone, noinline)) static int decide(int result)
{
	for (int i = 0; i < 255; i++)
		if (result == i)
			return i;
	return 255;
}

int main(void)
{
	byte input[2];
	klee_make_symbolic(input, 2, "input");
	return decide(tests[TEST](input[0], input[1]) & 255);
}
#endif

/* One fault for each -DTEST=n; x is a symbolic byte. */
#include <assert.h>
#include <klee/klee.h>
#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static const char constant[] = "constant";
static int global[4];
static jmp_buf env;
void external_function(void);
__attribute__((noinline)) static int jump_target(void) { return setjmp(env); }
__attribute__((noinline)) static int *local(int x) { volatile int a[4]; a[1] = x; int *volatile p = (int *)a; return p; }
__attribute__((noinline)) static int deep(volatile int *n) { volatile int here[2]; here[0] = (*n)++; int below = deep(here); return below + here[0]; }

int main(void)
{
	unsigned char x;
	klee_make_symbolic(&x, 1, "x");
	int *volatile p;
	int *volatile q = 0;
	volatile int n = 0;
	switch (TEST) {
	case 0: return 100 / (x - 7);
	case 1: { volatile int least = INT_MIN, by = x - 4; return x < 4 ? least / by : 0; }
	case 2: return 1 << (x & 63);
	case 3: p = malloc(40); return p[x];
	case 4: p = malloc(40); p[x & 15] = 1; return 0;
	case 5: p = malloc(8); free(p); return x == 9 ? *p : 1;
	case 6: p = malloc(8); free(p); if (x > 250) free(p); return 1;
	case 7: p = malloc(8); free(x == 4 ? p + 1 : p); return 1;
	case 8: p = (int *)&n; if (x == 1) free(p); return 1;
	case 9: p = global; if (x == 1) free(p); return 1;
	case 10: p = q; return x == 77 ? *p : 2;
	case 11: { char *volatile c = (char *)constant; if (x == 5) c[2] = 'x'; return 1; }
	case 12: assert(x != 200); return 1;
	case 13: if (x == 0) abort(); return 1;
	case 14: { unsigned char y; klee_make_symbolic(&y, 2, "y"); return y; }
	case 15: if (x == 2) external_function(); return 1;
	case 16: { int (*volatile f)(void) = (int (*)(void))(long)(x == 6 ? 0 : (long)jump_target); return f(); }
	case 17: klee_assume(x > 10); klee_assume(x < 5); return 1;
	case 18: { int got = jump_target(); if (!got) longjmp(env, 1); return got; }
	case 19: p = local(3); return p[1];
	case 20: return deep((volatile int *)&n);
	case 21: klee_report_error("file.c", 3, "own message", "own.kind"); return 1;
	case 22: if (x == 1) klee_silent_exit(3); return 1;
	case 23: p = global; return p[x];
	case 24: memcpy(global, constant, x); return 1;
	case 25: p = malloc(4); return *(int *)((char *)p + 2);
	case 26: /* The shift is guarded in the source; an optimiser may move it ahead of the test. */
		{ volatile unsigned char s = 0; unsigned v = x + s; return v < 32 ? (1u << v) != 0 : 3; }
	case 27: if (x == 9) klee_abort(); return 1;
	case 28: return ((int *)8)[x & 1];
	}
	return 0;
}

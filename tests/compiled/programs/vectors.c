/* Vectors, atomics, and aggregates in registers. */
#include "show.h"
#include <stdatomic.h>
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned char v8 __attribute__((vector_size(8)));
typedef float f4 __attribute__((vector_size(16)));
typedef long l2 __attribute__((vector_size(16)));
volatile v4 a = { 1, -2, 3, -4 }, b = { 10, 20, 30, 40 };
volatile f4 f = { 1.5f, 2.5f, -3.5f, 0 };
volatile v8 c = { 250, 3, 5, 7, 9, 11, 13, 255 };
static _Atomic int at = 5; static _Atomic unsigned long al = 100;
static v4 pass(v4 x, int k) { x[k] = 99; return x; }

int main(void)
{
	v4 x = a, y = b; v4 s = x + y, m = x * y, g = x < y, q = y / 7, sh = x << 2; f4 h = f * 2 + 1; v8 w = c + 10;
	for (int i = 0; i < 4; i++) { SHOW(s[i]); SHOW(m[i]); SHOW(g[i]); SHOW(q[i]); SHOW(sh[i]); SHOW((int)(h[i] * 4)); }
	for (int i = 0; i < 8; i++) SHOW(w[i]);
	v4 r = __builtin_shufflevector(x, y, 3, 4, 0, 7); for (int i = 0; i < 4; i++) SHOW(r[i]);
	l2 z = (l2)x; SHOW(z[0]); SHOW(z[1]); v8 t = __builtin_convertvector(__builtin_shufflevector(c, c, 0, 1, 2, 3, 4, 5, 6, 7), v8); SHOW(t[7]);
	v4 p = pass(x, 2); SHOW(p[2]); SHOW(__builtin_reduce_add(x)); SHOW(__builtin_reduce_max(x)); SHOW(__builtin_reduce_xor(y));
	SHOW(at++); SHOW(atomic_fetch_sub(&at, 3)); SHOW(atomic_exchange(&at, 50)); SHOW(at);
	int e = 50; SHOW(atomic_compare_exchange_strong(&at, &e, 60)); SHOW(at); e = 1; SHOW(atomic_compare_exchange_strong(&at, &e, 70)); SHOW(e);
	SHOW(atomic_fetch_or(&al, 7)); SHOW(atomic_fetch_and(&al, 0x66)); SHOW(atomic_fetch_xor(&al, 1)); SHOW(al);
	return 7;
}

/* Integer operations of all widths. */
#include "show.h"
#include <stdint.h>

volatile int8_t c = -77;
volatile uint8_t uc = 200;
volatile int16_t s = -30000;
volatile int i = -123456789;
volatile unsigned u = 3000000000u;
volatile long l = -1234567890123456789;
volatile unsigned long ul = 0xfedcba9876543210;
volatile __int128 w = ((__int128)0x0123456789abcdef << 64) | 0xfedcba9876543210;

struct bits { unsigned a : 3; signed b : 5; unsigned c : 20; long d : 40; };

static unsigned long low(__int128 x) { return (unsigned long)x; }
static unsigned long high(__int128 x) { return (unsigned long)(x >> 64); }

int main(void)
{
	SHOW(c * s); SHOW(c / 7); SHOW(c % 7); SHOW(-c >> 2); SHOW(c << 3); SHOW(uc + uc);
	SHOW((int8_t)(uc + 100)); SHOW((uint16_t)(s - 10000)); SHOW(s ^ c); SHOW(i / 1000); SHOW(i % 1000);
	SHOW(u / 7); SHOW(u % 7); SHOW(u >> 5); SHOW((int)u >> 5); SHOW(l / 12345); SHOW(l % 12345);
	SHOW(ul / 12345); SHOW(ul % 12345); SHOW(ul >> 13); SHOW(l >> 13); SHOW(l * l); SHOW(ul * 3);
	SHOW(i < (int)u); SHOW((unsigned)i < u); SHOW(l < i); SHOW(ul > (unsigned long)l);
	__int128 p = w * w + 77, q = w / 1000003, r = w % 1000003, t = -w >> 70, v = w << 13;
	SHOW(low(p)); SHOW(high(p)); SHOW(low(q)); SHOW(high(q)); SHOW(low(r)); SHOW(low(t)); SHOW(high(t));
	SHOW(low(v)); SHOW(high(v)); SHOW(w > p); SHOW(low((unsigned __int128)w / 77)); SHOW((long)(w >> 33));
	struct bits b = { 5, -9, 0xabcde, -5000000000 };
	b.a += 6; b.b -= 10; b.c *= 3; b.d += 7;
	SHOW(b.a); SHOW(b.b); SHOW(b.c); SHOW(b.d);
	SHOW(__builtin_popcount(u)); SHOW(__builtin_popcountl(ul)); SHOW(__builtin_clz(u)); SHOW(__builtin_ctzl(ul));
	SHOW(__builtin_bswap16(s)); SHOW(__builtin_bswap32(u)); SHOW(__builtin_bswap64(ul));
	SHOW(__builtin_bitreverse8(uc)); SHOW(__builtin_bitreverse32(u)); SHOW(__builtin_rotateleft32(u, 9));
	SHOW(__builtin_rotateright64(ul, 21)); SHOW(__builtin_abs(i)); SHOW(__builtin_ffs(i)); SHOW(__builtin_parityl(ul));
	int x; unsigned y; long z; int8_t n;
	SHOW(__builtin_add_overflow(i, -2147483600, &x)); SHOW(x);
	SHOW(__builtin_sub_overflow(u, 3000000001u, &y)); SHOW(y);
	SHOW(__builtin_mul_overflow(l, 100, &z)); SHOW(z);
	SHOW(__builtin_mul_overflow(c, 2, &n)); SHOW(n);
	SHOW(__builtin_elementwise_add_sat(c, (int8_t)-100)); SHOW(__builtin_elementwise_sub_sat(uc, (uint8_t)201));
	SHOW(__builtin_elementwise_max(i, x)); SHOW(__builtin_elementwise_min(u, y));
	return (unsigned char)(i ^ u ^ l);
}

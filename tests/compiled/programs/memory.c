/* Layout, copies, pointers in memory, unions, the heap and stack. */
#include "show.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct inner { char a; short b; int c[3]; };
struct outer { struct inner in[2]; void *p; char tail[5]; };
struct big { long words[9]; };
union pun { float f; unsigned u; unsigned char b[4]; };
static int table[4][5] = { { 1, 2, 3 }, { [4] = 9 } };
static const char *names[] = { "zero", "one", "two", 0 };
static int *self[2] = { &table[1][4], (int *)((char *)&table[2][0] + 4) };
static int by_value(struct big b, int k) { b.words[k] += 5; return (int)b.words[k]; }
static struct big returned(int k) { struct big b; for (int i = 0; i < 9; i++) b.words[i] = i * k; return b; }
static struct inner small(int k) { struct inner s = { 'a' + k, k, { k, k + 1, k + 2 } }; return s; }

static int sign(int order) { return (order > 0) - (order < 0); }
static char first[2000], second[2000], full[4] = { 'a', 'b', '\xc3', 'd' };

/* Strings that differ behind what is looked at first, at the end of their objects, and behind a page. */
static void strings(char *volatile a, char *volatile b, char *volatile c)
{
	memset(a, 'x', 1998); memcpy(b, a, 2000); b[1999] = 'y';
	SHOW(strcmp(a, b)); SHOW(strcmp(a + 3, b + 3)); SHOW(sign(strcmp(a + 5, b + 3))); SHOW(strncmp(a + 5, b + 3, 1993)); SHOW(sign(strncmp(a + 5, b + 3, 1994)));
	for (int i = 60; i < 1998; i += 323) {
		b[i] = '\x80'; SHOW(sign(strcmp(a, b))); SHOW(sign(strcmp(b + 1, a + 1))); SHOW(strncmp(a, b, i)); SHOW(sign(strncmp(a, b, i + 1)));
		SHOW(strchr(b, 0x180) - b); SHOW(strchr(b + i, '\x80') - b); SHOW(strchr(b + i + 1, -128) == 0); SHOW(strchr(b, 0) - b); b[i] = 'x';
	}
	SHOW(strncmp(a, c, 0)); SHOW(strncmp(c, "ab\xc3" "d", 4)); SHOW(sign(strcmp(c, "ab"))); SHOW(sign(strcmp("abz", c))); SHOW(strchr(c, 0xc3) - c); SHOW(strchr(c, 'd') - c);
	SHOW(strnlen(c, 4)); SHOW(strnlen(c + 1, 3)); SHOW(strnlen(c, 2)); SHOW(strlen(a)); SHOW(strcmp(a + 1998, "")); SHOW(strchr(a + 1998, 'x') == 0);
	char **from = (char **)b, **to = (char **)(a + 800), *none = a + 1500; *from = c; from[1] = none; memcpy(to, from, 16); memmove(a + 1501, none, 499); SHOW(to[0] == c); SHOW(to[1][0]); SHOW(a[1501]);
	to[1] = c + 1; ((char *)to)[8] += 1; SHOW(*to[1] & 0xff); memcpy(c, b + 1996, 4); SHOW(c[1]); SHOW(c[3]); memcpy(a, c, 0); SHOW(a[0]);
}

int main(void)
{
	strings(first, second, full);
	struct outer o, copy;
	memset(&o, 0x5a, sizeof o);
	o.in[1].c[2] = 77; o.p = &o.in[1]; o.tail[4] = 'z';
	copy = o;
	SHOW(copy.in[1].c[2]); SHOW(((struct inner *)copy.p)->c[2]); SHOW(copy.tail[4]); SHOW(copy.p == o.p); SHOW(sizeof copy);
	SHOW(*self[0]); *self[1] = 44; SHOW(table[2][1]); SHOW(names[2][1]); SHOW(names[3] == 0);
	union pun q = { .f = 1.5f }; q.b[3] ^= 0x80; SHOW(q.u);
	struct big b = returned(3); SHOW(by_value(b, 4)); SHOW(b.words[4]);
	struct inner s = small(6); SHOW(s.a + s.b + s.c[2]);
	char *m = malloc(40); char *z = calloc(5, 8);
	SHOW(z[39]); for (int i = 0; i < 40; i++) m[i] = i * 7;
	memmove(m + 3, m, 30); SHOW(m[20]); memmove(m, m + 5, 20); SHOW(m[2]);
	char **pp = (char **)(z + 8); *pp = m; char **qq = malloc(16); memcpy(qq, z + 4, 16); SHOW(**(char **)((char *)qq + 4));
	char *old = m; m = realloc(m, 100); m[99] = 3; SHOW(m[2]); SHOW(m[99]); (void)old;
	unsigned char *raw = (unsigned char *)pp; uintptr_t v = 0; for (int i = 7; i >= 0; i--) v = v << 8 | raw[i]; SHOW(v == (uintptr_t)*pp);
	uintptr_t tag = (uintptr_t)z | 5; SHOW(((char *)(tag & ~(uintptr_t)7))[39]); SHOW(tag & 7);
	char *end = z + 40, *at = z; int n = 0; while (at != end) { at++; n++; } SHOW(n); SHOW(end - z); SHOW(end > z);
	free(m); free(z); free(qq); free(0);
	void *a1 = malloc(0), *a2 = malloc(0); SHOW(a1 != a2); SHOW(a1 != 0); free(a1); free(a2);
	void *al = aligned_alloc(256, 512); SHOW((uintptr_t)al % 256); free(al);
	int k = 6; int vla[k]; for (int i = 0; i < k; i++) vla[i] = i * i; int sum = 0; for (int i = 0; i < k; i++) sum += vla[i]; SHOW(sum);
	for (int i = 0; i < 3; i++) { char *t = __builtin_alloca(16 + i); t[15] = i; SHOW(t[15]); }
	char *from = malloc(8); strcpy(from, "pointer"); char *to = malloc(16); char *cursor = from + 3; strcpy(to, from);
	cursor += to - from; SHOW(*cursor); *cursor = 'X'; SHOW(to[3]); free(from); free(to);
	SHOW(strlen("hello")); SHOW(strcmp("abc", "abd") < 0); SHOW(memcmp("abc", "abc", 3)); SHOW(strchr("hello", 'l') - "hello" != 0);
	char buffer[20]; strcpy(buffer, "copied"); SHOW(strlen(buffer)); SHOW(memchr(buffer, 'i', 6) == buffer + 3); SHOW(strrchr(buffer, 'c') == buffer);
	SHOW(strncmp(buffer, "copper", 3)); SHOW(strnlen(buffer, 3));
	return 42;
}

/* Decisions that depend on what was never written, in optimised code: compilers read and compare
 * before it is known whether that matters, take comparisons together, and move branches out of
 * loops. None of that is a fault; what the program itself decides by is.
 * options: --check-uninitialised
 * flags: -O3
 * native: memory */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct pair { int first, second; };
struct version { unsigned char major, minor, patch, build; };
static volatile int sink;

__attribute__((noinline)) static void fill(int *place, int n)
{
	if (n > 0)
		*place = n;
}

/* The branch leaves the loop: it is taken before the first pass. */
__attribute__((noinline)) static void unswitched(int n, const int *place)
{
	int flag = *place;
	for (int i = 0; i < n; i++)
		if (flag)
			sink = i;
		else
			sink = -i;
}

/* Both comparisons are made, and combined. */
__attribute__((noinline)) static int both(int n, const int *place)
{
	return n > 0 && *place > 3 ? n * 7 : n;
}

/* One comparison of all bytes. */
__attribute__((noinline)) static int same(const struct version *a, const struct version *b)
{
	return a->major == b->major && a->minor == b->minor && a->patch == b->patch && a->build == b->build; //~ uninitialised: use of uninitialised value
}

__attribute__((noinline)) static int chosen(int way, const struct pair *pair)
{
	return (way & 1 ? pair->first : pair->second) > 5;
}

int main(void)
{
	int way = klee_range(0, 9, "way"), n = klee_range(-2, 3, "n");
	int *place = malloc(sizeof *place), list[3] = { 1, 2, 3 };
	struct pair *pair = malloc(sizeof *pair);
	struct version a, b;
	if (way == 0) {
		fill(place, n);
		unswitched(n, place);
	}
	if (way == 1 && n < 1)
		unswitched(n, place);
	if (way == 2) {
		fill(place, n);
		if (both(n, place) == 7)
			sink = 1;
	}
	if (way == 3 && n < 2) {
		if (both(n, place) == 7) //~ uninitialised: use of uninitialised value | heap object
			sink = 1;
		if (n < 1)
			sink = list[n + 4]; //~? ptr: memory error: out of bound pointer
	}
	if (way == 4) {
		a.major = 1;
		b.major = 2;
		if (same(&a, &b))
			sink = 1;
	}
	if (way == 5) {
		memset(&a, 1, sizeof a);
		b.major = 1;
		if (same(&a, &b))
			sink = 1;
	}
	if (way == 6) {
		pair->first = n;
		if (chosen(n | 1, pair))
			sink = 1;
	}
	if (way == 7) {
		pair->first = n;
		if (chosen(n, pair)) //~ uninitialised: use of uninitialised value
			sink = 1;
	}
	if (way == 8) {
		int word;
		if (n == 2)
			word = n;
		for (int i = 0; i < 2; i++)
			if (n == 2 && word == 2)
				sink = 1;
	}
	return 0;
}

/* Bytes of a pointer that a function returns one at a time, which gets more of them first when it
 * has none left, also behind a function that asks it, with an end that is no byte, and with lines
 * that are counted. Values of digits are no bytes of pointers. */
#include "alias.h"
#define APART __attribute__((noinline)) static
struct mixed { int *pointer; char text[8]; };
static unsigned char window[4], *next = window, *end = window;
static const unsigned char *source, *source_end;
static const char *text;
static struct mixed mixed;
static int x, y, z, seen;
APART void fill(void)
{
	size_t n = source_end - source;
	if (n > sizeof window) n = sizeof window;
	memcpy(window, source, n);
	source += n;
	next = window;
	end = window + n;
}
APART unsigned char get(void)
{
	if (next == end) fill();
	return *next++;
}
APART int get_or_end(void)
{
	if (next == end) fill();
	return next == end ? -1 : *next++;
}
APART int ask(void) { seen++; int c = get(); seen++; return c; }
APART int get_line(void)
{
	int c = get();
	if (c == '\n') seen++;
	return c;
}
APART int digit(void)
{
	seen++;
	if (text == (char *)(&mixed + 1)) fill();
	return *text++ - '0';
}
static void from(void *where) { source = where; source_end = source + sizeof(int *); }
int main(void)
{
	int *pointer = &x, *copy, *again, *more;
	union { int *pointer; char digits[8]; } other;
	from(&pointer);
	for (unsigned i = 0; i < sizeof copy; i++) ((unsigned char *)&copy)[i] = get();
	MUSTALIAS(copy, &x);
	pointer = &y;
	from(&pointer);
	unsigned char *to = (unsigned char *)&again;
	for (int c; (c = get_or_end()) != -1;) *to++ = c;
	MUSTALIAS(again, &y);
	pointer = &z;
	from(&pointer);
	uintptr_t whole = 0;
	for (unsigned i = 0; i < sizeof more; i++) whole |= (uintptr_t)(ask() & 255) << 8 * i;
	MUSTALIAS((int *)whole, &z);
	from(&pointer);
	for (unsigned i = 0; i < sizeof copy; i++) ((unsigned char *)&copy)[i] = get_line();
	MUSTALIAS(copy, &z);
	mixed.pointer = &x;
	memcpy(mixed.text, "12345678", sizeof mixed.text);
	text = mixed.text;
	for (int i = 0; i < 8; i++) other.digits[i] = digit();
	NOALIAS(other.pointer, &x);
	return 0;
}

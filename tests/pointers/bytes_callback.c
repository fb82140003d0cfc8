/* Bytes of a pointer, handed one at a time to a function that is called through a pointer, returned
 * by one, and copied by one that is given their places. Letters that are changed on the same way
 * are no bytes of pointers. */
#include "alias.h"
#define APART __attribute__((noinline)) static
typedef void sink(void *to, unsigned char c);
typedef int source(void *from);
typedef void visitor(void *to, const char *at);
struct cursor { unsigned char *at; };
static int v, w, x, y, z, seen;
APART void note(void) { seen++; }
APART void keep(void *to, unsigned char c)
{
	struct cursor *cursor = to;
	note();
	*cursor->at++ = c;
}
APART void each(const void *from, size_t n, sink *what, void *to)
{
	const unsigned char *bytes = from;
	for (size_t i = 0; i < n; i++) what(to, bytes[i]);
}
APART int next(void *from)
{
	struct cursor *cursor = from;
	note();
	return *cursor->at++;
}
APART void fill(void *to, size_t n, source *where, void *from)
{
	unsigned char *bytes = to;
	while (n--) *bytes++ = where(from);
}
APART void visit(const void *from, size_t n, visitor *what, void *to)
{
	const char *bytes = from;
	for (size_t i = 0; i < n; i++) what(to, bytes + i);
}
APART void keep_at(void *to, const char *at)
{
	struct cursor *cursor = to;
	note();
	*cursor->at++ = *at;
}
APART void keep_upper(void *to, const char *at)
{
	struct cursor *cursor = to;
	note();
	*cursor->at++ = *at - 'a' + 'A';
}
static const unsigned char *source_bytes;
static unsigned char *target_bytes;
APART void step(unsigned at)
{
	note();
	target_bytes[at] = source_bytes[at];
}
int main(void)
{
	int *pointer = &x, *copy, *again, *more;
	struct cursor cursor = { (unsigned char *)&copy };
	each(&pointer, sizeof pointer, keep, &cursor);
	MUSTALIAS(copy, &x);
	pointer = &y;
	struct cursor other = { (unsigned char *)&pointer };
	fill(&again, sizeof again, next, &other);
	MUSTALIAS(again, &y);
	pointer = &z;
	cursor.at = (unsigned char *)&copy;
	visit(&pointer, sizeof pointer, keep_at, &cursor);
	MUSTALIAS(copy, &z);
	pointer = &w;
	source_bytes = (unsigned char *)&pointer;
	target_bytes = (unsigned char *)&more;
	for (unsigned i = 0; i < sizeof pointer; i++) step(i);
	MUSTALIAS(more, &w);
	struct { int *pointer; char text[8]; } mixed = { &v, "abcdefg" };
	union { int *pointer; char text[8]; } letters = { 0 };
	cursor.at = (unsigned char *)letters.text;
	visit(mixed.text, sizeof mixed.text, keep_upper, &cursor);
	NOALIAS(letters.pointer, &v);
	return 0;
}

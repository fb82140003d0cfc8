/* Bytes of a pointer, handed one at a time to a function that makes room for them first, to one
 * that hands them on, to one that counts lines, and to a stream that is emptied through a pointer
 * when it is full. Digits of numbers are no bytes of pointers. */
#include "alias.h"
#define APART __attribute__((noinline)) static
struct buffer { unsigned char *bytes; size_t room, used; };
struct stream { unsigned char bytes[4]; unsigned used; void (*empty)(struct stream *); unsigned char *out; };
struct mixed { int *pointer; unsigned number; };
static struct buffer pieces, deeper, lines, digits;
static struct mixed mixed;
static int x, y, z, seen;
APART void grow(struct buffer *to)
{
	to->room += 4;
	to->bytes = realloc(to->bytes, to->room);
	if (!to->bytes) abort();
}
APART void put(unsigned char c)
{
	if (pieces.used == pieces.room) grow(&pieces);
	pieces.bytes[pieces.used++] = c;
}
APART int append(int c, struct buffer *to)
{
	if (to->used == to->room) grow(to);
	return to->bytes[to->used++] = c;
}
APART void hand_on(int c) { seen++; append(c, &deeper); seen++; }
APART void write_bytes(const void *from, size_t n)
{
	const char *bytes = from;
	while (n--) hand_on(*bytes++);
}
APART void put_stream(struct stream *to, char c)
{
	if (to->used == sizeof to->bytes) to->empty(to);
	to->bytes[to->used++] = c;
}
APART void empty(struct stream *stream)
{
	memcpy(stream->out, stream->bytes, stream->used);
	stream->out += stream->used;
	stream->used = 0;
}
APART void put_line(char c)
{
	if (c == '\n') seen++;
	if (lines.used == lines.room) grow(&lines);
	lines.bytes[lines.used++] = c;
}
APART void put_digit(char c)
{
	if (digits.used == digits.room) grow(&digits);
	digits.bytes[digits.used++] = c;
}
int main(void)
{
	int *pointer = &x, *copy;
	for (unsigned i = 0; i < sizeof pointer; i++) put(((unsigned char *)&pointer)[i]);
	MUSTALIAS(*(int **)pieces.bytes, &x);
	pointer = &y;
	write_bytes(&pointer, sizeof pointer);
	MUSTALIAS(*(int **)deeper.bytes, &y);
	struct stream stream = { .empty = empty, .out = (unsigned char *)&copy };
	pointer = &z;
	for (unsigned i = 0; i < sizeof pointer; i++) put_stream(&stream, ((char *)&pointer)[i]);
	stream.empty(&stream);
	MUSTALIAS(copy, &z);
	for (unsigned i = 0; i < sizeof pointer; i++) put_line(((char *)&pointer)[i]);
	MUSTALIAS(*(int **)lines.bytes, &z);
	mixed.pointer = &x;
	mixed.number = 12345678;
	for (unsigned rest = mixed.number; rest; rest /= 10) put_digit('0' + rest % 10);
	NOALIAS(*(int **)digits.bytes, &x);
	return 0;
}

/* A format with both kinds of obstacles: magic numbers and a checksum, which mutations do not guess,
 * and behind them a text whose branches depend on how much and how deep, where paths multiply.
 *
 *	"REC1"  key:4  checksum:2  text...
 *
 * The checksum (Fletcher) is that of the first eight bytes. */
#include <stdint.h>
#include <stddef.h>
#include <string.h>

enum { MOST_DEPTH = 24 };

struct reader {
	const uint8_t *at, *end;
	int depth, words, numbers, longest, errors;
	char open[MOST_DEPTH];
};

static volatile int sink;

static void reached(int place)
{
	sink = place;
}

static uint32_t number32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint16_t fletcher(const uint8_t *at, size_t size)
{
	unsigned low = 1, high = 0;
	for (size_t i = 0; i < size; i++) {
		low = (low + at[i]) % 255;
		high = (high + low) % 255;
	}
	return (uint16_t)(high << 8 | low);
}

static int header(const uint8_t *data, size_t size)
{
	if (size < 10)
		return 0;
	if (memcmp(data, "REC1", 4))
		return 0;
	uint32_t key = number32(data + 4);
	if ((key ^ 0x5bd1e995u) * 9 + 7 != 0x1badb002u)
		return 0;
	return fletcher(data, 8) == (data[8] | data[9] << 8);
}

static void word(struct reader *reader)
{
	const uint8_t *start = reader->at;
	while (reader->at < reader->end && *reader->at >= 'a' && *reader->at <= 'z')
		reader->at++;
	int length = (int)(reader->at - start);
	reader->words++;
	if (length > reader->longest)
		reader->longest = length;
	if (length == 6 && !memcmp(start, "select", 6))
		reached(1);
	else if (length == 4 && !memcmp(start, "from", 4))
		reached(2);
	else if (length == 5 && !memcmp(start, "where", 5))
		reached(reader->depth > 3 ? 3 : 4);
	else if (length > 12)
		reached(5);
}

static void number(struct reader *reader)
{
	uint32_t value = 0;
	int digits = 0;
	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') {
		value = 10 * value + (*reader->at++ - '0');
		digits++;
	}
	reader->numbers++;
	if (value == 31337)
		reached(6);
	else if (value % 8191 == 4242)
		reached(7);
	if (digits > 9)
		reached(8);
}

static void bracket(struct reader *reader, char c)
{
	switch (c) {
	case '(':
	case '[':
	case '{':
		if (reader->depth == MOST_DEPTH) {
			reached(9);
			reader->errors++;
			return;
		}
		reader->open[reader->depth++] = c;
		return;
	}
	if (!reader->depth) {
		reader->errors++;
		return;
	}
	char open = reader->open[--reader->depth];
	if ((open == '(' && c != ')') || (open == '[' && c != ']') || (open == '{' && c != '}'))
		reader->errors++;
}

static void summary(const struct reader *reader)
{
	if (reader->words > 8)
		reached(10);
	if (reader->words > 20)
		reached(11);
	if (reader->numbers > 6 && reader->words > 6)
		reached(12);
	if (reader->longest > 20)
		reached(13);
	if (reader->depth > 4)
		reached(14);
	if (reader->depth > 10)
		reached(15);
	if (!reader->errors && !reader->depth && reader->words > 4 && reader->numbers > 2)
		reached(16);
	if (reader->errors > 5)
		reached(17);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!header(data, size))
		return -1;
	struct reader reader = { .at = data + 10, .end = data + size };
	while (reader.at < reader.end) {
		char c = (char)*reader.at;
		if (c >= 'a' && c <= 'z')
			word(&reader);
		else if (c >= '0' && c <= '9')
			number(&reader);
		else if (c && strchr("()[]{}", c)) {
			bracket(&reader, c);
			reader.at++;
		} else {
			if (c != ' ' && c != '\n')
				reader.errors++;
			reader.at++;
		}
	}
	summary(&reader);
	return 0;
}

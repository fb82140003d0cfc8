/* One symbolic word seen as a number, as bytes at a symbolic index and as bit fields.
 * exits: 0 1 */
#include <assert.h>
#include <klee/klee.h>
#include <stdint.h>

union word {
	uint64_t number;
	uint8_t bytes[8];
	struct {
		uint64_t low : 13, middle : 27, high : 24;
	} fields;
};

int main(void)
{
	union word word;
	klee_make_symbolic(&word, sizeof word, "word");
	uint64_t number = word.fields.low | (uint64_t)word.fields.middle << 13;
	number |= (uint64_t)word.fields.high << 40;
	assert(number == word.number);
	unsigned at = klee_range(0, 8, "at");
	word.bytes[at] ^= 0xff;
	assert((number ^ word.number) == (uint64_t)0xff << 8 * at);
	word.bytes[at] ^= 0xff;
	assert(number == word.number);
	if (word.fields.middle == 0x1234567 && word.fields.high == word.fields.low)
		return 1;
	return 0;
}

/* One object seen as bytes, shorts and a word.
 * inputs: 256 */
#include "../agree.h"

union view {
	uint32_t word;
	uint16_t halves[2];
	uint8_t bytes[4];
};

int main(void)
{
	union view v = { .word = 0x01020304 };
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	v.bytes[1] = x;
	if (v.halves[0] == 0x7704)
		puts("half");
	if (v.word > 0x01028000)
		puts("high");
	v.halves[0] = (uint16_t)(v.halves[0] << 4);
	if ((v.word & 0xff) == 0x40 && (v.word & 0xff00) == 0x3000)
		puts("shifted");
	return decide(v.bytes[3]);
}

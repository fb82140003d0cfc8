/* Unions, bit-fields and packed structures made symbolic as a whole, and read in other ways than
 * they were written.
 * exits: 0 1 2 3 */
#include <klee/klee.h>
#include <stdint.h>
#include <string.h>

struct header {
	unsigned version : 4;
	unsigned length : 4;
	unsigned flags : 3;
	int delta : 5;
	uint16_t id;
} __attribute__((packed));

union word {
	uint32_t whole;
	uint8_t bytes[4];
	struct header header;
	float real;
};

int main(void)
{
	union word w;
	klee_make_symbolic(&w, sizeof w, "w");
	if (w.header.version != 4)
		return 0;
	w.header.length = 5;
	if (w.bytes[0] != 0x54)
		klee_report_error(__FILE__, __LINE__, "the byte is made of both fields", "bits.err");
	if (w.header.delta < -10)
		return 1;
	w.header.flags ^= 7;
	uint32_t copy;
	memcpy(&copy, &w, sizeof copy);
	if (((copy >> 8) & 7) == 2 && (copy >> 16) == 0xbeef)
		return 2;
	return 3;
}

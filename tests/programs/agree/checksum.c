/* Six bytes with a CRC-32, as archives and images have them: compared with a stored one, printed as
 * a number, and computed in two ways.
 * stdin: 6
 * alphabet: 61 62 63 */
#include "../agree.h"

static uint32_t table[256];

static uint32_t by_bits(uint32_t crc, unsigned char byte)
{
	crc ^= byte;
	for (int i = 0; i < 8; i++)
		crc = crc >> 1 ^ (-(crc & 1) & 0xedb88320);
	return crc;
}

static uint32_t by_table(uint32_t crc, unsigned char byte)
{
	return crc >> 8 ^ table[(crc ^ byte) & 0xff];
}

int main(void)
{
	for (int i = 0; i < 256; i++)
		table[i] = by_bits(0, (unsigned char)i);
	unsigned char text[6];
	if (fread(text, 1, sizeof text, stdin) != sizeof text)
		return 1;
	uint32_t crc = 0xffffffff, other = 0xffffffff;
	for (unsigned i = 0; i < sizeof text; i++) {
		crc = by_table(crc, text[i]);
		other = by_bits(other, text[i]);
	}
	crc = ~crc;
	if (crc != ~other)
		return 2;
	if (crc == 0x3c3dbde2) {
		puts("stored");
		for (unsigned i = 0; i < sizeof text; i++)
			if (text[i] < 'a' || text[i] > 'c')
				return 3;
		return 4;
	}
	int digits = 0;
	for (uint32_t rest = crc; rest; rest /= 10)
		digits++;
	show("digits", digits, 0, 10);
	return 0;
}

/* Exchange of bytes by an instruction, as headers have it.
 * exits: 0 1 2 3 */
#include <klee/klee.h>
#include <stdint.h>

static uint32_t exchanged32(uint32_t x)
{
	__asm__("bswap %0" : "+r"(x));
	return x;
}

static uint64_t exchanged64(uint64_t x)
{
	__asm__("bswapq %q0" : "=r"(x) : "0"(x));
	return x;
}

static uint16_t exchanged16(uint16_t x)
{
	__asm__("rorw $8, %w0" : "=r"(x) : "0"(x) : "cc");
	return x;
}

int main(void)
{
	uint64_t x;
	klee_make_symbolic(&x, sizeof x, "x");
	if (exchanged64(0x0102030405060708) != 0x0807060504030201)
		return 9;
	if (exchanged32(x) == 0x01020304)
		return 1;
	if (exchanged16(x) == 0x1234)
		return 2;
	if (exchanged64(x) == 42)
		return 3;
	return 0;
}

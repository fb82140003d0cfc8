/* Idioms of inline assembly against C that does the same; the exit code is the number of the first one
 * that differs. */
#include <stdint.h>
#include <string.h>
#include <cpuid.h>

static void copy(void *to, const void *from, size_t count)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void *fill(void *to, int byte, size_t count)
{
	__asm__ volatile("rep; stosb" : "+D"(to), "+c"(count) : "a"(byte) : "memory");
	return to;
}

static uint64_t stamp(void)
{
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static uint32_t swap(uint32_t word)
{
	__asm__("rorw $8, %w0;rorl $16, %0;rorw $8, %w0" : "=r"(word) : "0"(word) : "cc");
	return word;
}

static uint64_t highest(uint64_t word)
{
	uint64_t at;
	__asm__("bsrq %1,%0" : "=r"(at) : "rm"(word), "0"((uint64_t)0) : "cc");
	return at;
}

static uint64_t lowest(uint64_t word)
{
	uint64_t at = 0;
	__asm__("bsf %1, %0" : "+r"(at) : "r"(word) : "cc");
	return at;
}

static uint32_t highest_of_some(uint32_t word)
{
	uint32_t at;
	__asm__("bsrl %1,%0" : "=r"(at) : "r"(word) : "cc");
	return at;
}

int main(int argc, char **argv)
{
	char text[16] = "symbolic", other[16];
	text[1] = argc > 1 ? argv[1][0] : 'y';
	copy(other, text, sizeof text);
	if (memcmp(other, text, sizeof text)) return 1;
	if (fill(other, text[1], 5) != other + 5) return 2;
	for (int at = 0; at < 5; at++)
		if (other[at] != text[1]) return 3;
	if (other[5] != text[5]) return 4;
	uint64_t words[3] = {1, 2, 3}, copied[3] = {0}, count = 3;
	void *to = copied;
	const void *from = words;
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
	if (copied[2] != 3 || count || to != copied + 3 || from != words + 3) return 5;
	unsigned few = text[1] & 1;
	void *end = other;
	__asm__ volatile("rep stosb" : "+D"(end), "+c"(few) : "a"(0) : "memory");
	if (end != other + (text[1] & 1) || few) return 8;
	uint64_t before = stamp();
	if (stamp() <= before) return 6;
	unsigned a, b, c, d;
	__cpuid(0, a, b, c, d);
	__asm__ volatile("mfence" : : : "memory");
	__asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc");
	__asm__ volatile("pause");
	__asm__ volatile(".p2align 5");
	__asm__ volatile(".p2align 4\n\tnop");
	if (swap(0x01020300u + (unsigned char)text[1]) != ((unsigned)text[1] << 24 | 0x030201u)) return 9;
	uint64_t byte = (unsigned char)text[1], high = byte << 40, some = byte | 1;
	if (high >> highest(high) != !!high) return 10;
	if (high >> lowest(high) << lowest(high) != high || (high >> lowest(high) & 1) != !!high) return 11;
	if (some >> highest_of_some(some) != 1) return 12;
	if (argc > 1 && text[1] == 'q') return 7;
	return 0;
}

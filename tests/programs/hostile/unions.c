/* Pointers changed byte by byte, by input, behind the compiler's back.
 * ends: fault ptr memory error: out of bound pointer */
#include <klee/klee.h>
#include <stdint.h>

union word { char *pointer; uintptr_t number; unsigned char bytes[8]; };

int main(void)
{
	char table[256] = {0};
	union word word;
	word.pointer = table;
	word.bytes[0] ^= (unsigned char)klee_range(0, 256, "low");
	word.bytes[7] = (unsigned char)klee_range(0, 4, "high");
	*word.pointer = 1;
	word.number = (word.number << 32) | (word.number >> 32);
	word.number = (word.number << 32) | (word.number >> 32);
	return *word.pointer - 1;
}

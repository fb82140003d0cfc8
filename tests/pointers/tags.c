/* Pointers with tags: in the low bits, in the high bits, above a shift, in a bit-field. */
#include "alias.h"
struct packed { uint64_t pointer : 48, tag : 16; };
static long x, y;
static uintptr_t tag(void *p, unsigned t) { return (uintptr_t)p | t; }
static void *plain(uintptr_t v) { return (void *)(v & ~(uintptr_t)7); }
int main(int argc, char **argv)
{
	MUSTALIAS(plain(tag(&x, argc)), &x);
	NOALIAS(plain(tag(&x, 1)), &y);
	uint64_t high = (uintptr_t)&x | (uint64_t)argc << 56;
	MUSTALIAS((void *)(high << 8 >> 8), &x);
	uint64_t low = (uintptr_t)&y << 16 | argc;
	MUSTALIAS((void *)((int64_t)low >> 16), &y);
	struct packed packed;
	packed.tag = argc; packed.pointer = (uintptr_t)&x;
	MUSTALIAS((void *)(uintptr_t)packed.pointer, &x);
	char *byte = (char *)&y + 3;
	MUSTALIAS((char *)((uintptr_t)byte - (uintptr_t)byte % 4), &y);
	return 0;
}

/* A symbolic structure, made symbolic as a whole, with a magic number and a checked length.
 * exits: 0 1 2 3
 * tests: 4 */
#include "klee/klee.h"
#include <stdint.h>
#include <string.h>

struct packet {
	uint32_t magic;
	uint16_t length;
	uint8_t kind;
	uint8_t payload[5];
};

int main(void)
{
	struct packet p;
	klee_make_symbolic(&p, sizeof p, "packet");
	if (p.magic != 0xfeedbeef)
		return 1;
	if (p.length > sizeof p.payload)
		return 2;
	uint8_t copy[5];
	memcpy(copy, p.payload, 5);
	if (p.kind == 7)
		return 3;
	return 0;
}

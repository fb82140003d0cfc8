/* Copies of half-symbolic structures, compared as bytes.
 * inputs: 256 */
#include "../agree.h"

struct packet {
	uint16_t length;
	unsigned char kind;
	char name[5];
};

int main(void)
{
	struct packet original = { 0x0203, 1, "abcd" }, expected = { 0x0203, 7, "abcd" };
	unsigned char kind;
	klee_make_symbolic(&kind, 1, "kind");
	original.kind = kind;
	struct packet *copy = malloc(sizeof *copy), again;
	memcpy(copy, &original, sizeof *copy);
	again = *copy;
	if (memcmp(&again, &expected, sizeof again) == 0)
		puts("equal");
	else
		puts(memcmp(&again, &expected, sizeof again) < 0 ? "less" : "greater");
	unsigned char flat[sizeof again];
	memcpy(flat, &again, sizeof flat);
	return decide(flat[2] == 255 ? flat[1] : flat[0]);
}

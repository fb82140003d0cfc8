/* Accesses of several bytes at every position of objects larger than the pieces they may be cut into, and
 * writes of one byte in between.
 * inputs: 100 2 5 */
#include "../agree.h"

static unsigned word_at(const unsigned char *at)
{
	unsigned word;
	memcpy(&word, at, sizeof word);
	return word;
}

int main(void)
{
	unsigned char *objects[2];
	for (int i = 0; i < 2; i++) {
		objects[i] = malloc(320);
		for (int j = 0; j < 320; j++)
			objects[i][j] = (unsigned char)(j / 64 + i);
	}
	int at = 40 + klee_range(0, 100, "at"), i = klee_range(0, 2, "i"), k = klee_range(0, 5, "k");
	unsigned first = word_at(objects[0] + at);
	objects[i][at + k] = 40;
	unsigned second = word_at(objects[0] + at), third = word_at(objects[i] + at);
	show("carries", (long)((second ^ first) >> 24), 0, 63);
	show("low", (long)(third & 255), 0, 63);
	assert(i == 0 || first == second);
	assert(k == 4 || ((third >> 8 * k) & 255) == 40);
	return decide(objects[1][at]);
}

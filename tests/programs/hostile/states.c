/* A million states and more, all alive.
 * options: --max-memory 300 --max-time 10s --search bfs
 * ends: limit */
#include <klee/klee.h>

int main(void)
{
	unsigned char bytes[40];
	int sum = 0;
	klee_make_symbolic(bytes, sizeof bytes, "bytes");
	for (int round = 0; round < 40; round++)
		if (bytes[round] > 100)
			sum += round;
	return sum == 1000;
}

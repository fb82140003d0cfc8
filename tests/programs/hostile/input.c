/* 100 MB of standard input.
 * input: 104857600
 * options: --max-memory 1500
 * ends: exit 0 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	static char buffer[1 << 16];
	long n, total = 0, lines = 0;
	while ((n = read(0, buffer, sizeof buffer)) > 0) {
		total += n;
		for (long i = 0; i < n; i += 4096)
			lines += buffer[i] == 'x';
	}
	printf("%ld %ld\n", total, lines);
	return total != 104857600;
}

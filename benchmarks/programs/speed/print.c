/* Concrete code: the C library's formatted output. -DN=10000 lines */
#include <stdio.h>
#include <string.h>

#ifndef N
#define N 10000
#endif

int main(void)
{
	char line[80];
	unsigned long length = 0;
	for (int i = 0; i < N; i++) {
		snprintf(line, sizeof line, "%s %5d %08x %-6u|%c\n", "line", i, i * 2654435761u, i, 'a' + i % 26);
		length += strlen(line);
	}
	return length > N ? 0 : 1;
}

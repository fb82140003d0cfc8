/* The size of a buffer that setbuf is given is that of the system's headers. */
#include <stdio.h>

void setbuf(FILE *restrict f, char *restrict buf)
{
	setvbuf(f, buf, buf ? _IOFBF : _IONBF, 8192);
}

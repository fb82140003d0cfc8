/* Ten million paths: seven bytes, ten ways each. docs/measurements/remember.md, "Bounded memory". */
#include <unistd.h>

int main(void)
{
	unsigned char input[7];
	unsigned kinds = 0;
	if (read(0, input, sizeof input) != sizeof input)
		return 1;
	for (unsigned i = 0; i < sizeof input; i++)
		switch (input[i]) {
		case 'a': kinds += 1; break;
		case 'b': kinds += 2; break;
		case 'c': kinds += 3; break;
		case 'd': kinds += 4; break;
		case 'e': kinds += 5; break;
		case 'f': kinds += 6; break;
		case 'g': kinds += 7; break;
		case 'h': kinds += 8; break;
		case 'i': kinds += 9; break;
		default: kinds *= 3;
		}
	return kinds & 1;
}

/* The tables behind <ctype.h>, which optimised code reads directly, and the functions where they
 * are defined. */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
	const unsigned short *classes = *__ctype_b_loc();
	const int *lower = *__ctype_tolower_loc(), *upper = *__ctype_toupper_loc();
	for (int c = -128; c < 256; c++) {
		printf("%d %x %x %x\n", c, classes[c], lower[c], upper[c]);
		if (c >= -1)
			printf("%d %d\n", tolower(c), toupper(c));
	}
	return 0;
}

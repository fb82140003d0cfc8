/* Conversions that lose something, and pointers made of null: the compiler's further checks.
 * flags: -fsanitize=implicit-conversion,float-divide-by-zero,pointer-overflow */
#include <klee/klee.h>
#include <stddef.h>

static volatile unsigned large = 300;
static volatile int negative = -1, far = 200;
static volatile double zero;
static volatile size_t no, some = 16;
static char *volatile null, text[4];

int main(void)
{
	volatile unsigned char byte;
	volatile signed char small;
	volatile unsigned whole;
	volatile double quotient;
	char *volatile p;
	switch (klee_range(0, 9, "way")) {
	case 0:
		byte = large; //~? implicit_truncation: implicit-unsigned-integer-truncation
		break;
	case 1:
		small = far; //~? implicit_truncation: implicit-signed-integer-truncation
		break;
	case 2:
		whole = negative; //~? implicit_conversion: implicit-integer-sign-change
		break;
	case 3:
		byte = (unsigned char)large;
		break;
	case 4:
		quotient = 1 / zero; //~? div: float-divide-by-zero
		break;
	case 5:
		p = null + some; //~? ptr: nullptr-with-nonzero-offset
		break;
	case 6:
		p = text - (size_t)text; //~? ptr: nullptr-after-nonzero-offset
		break;
	case 7:
		p = text + no;
		break;
	}
	(void)byte, (void)small, (void)whole, (void)quotient, (void)p;
	return 0;
}

/* Remainders of a symbolic float beside those of the number that it is, which the machine computes:
 * they must agree to the last bit. Ends with 1 where they do not. */
#include <string.h>

void klee_make_symbolic(void *, unsigned long, const char *);
void klee_assume(unsigned long);
double fmod(double, double);

static unsigned long bits(double x)
{
	unsigned long word;
	memcpy(&word, &x, sizeof word);
	return word;
}

int main(void)
{
	const double numbers[] = {-6, 6, -0.0, 0.0, -7.5, 9.25, -2.9999, 3.0000000000000004, 1e-310, 8};
	const double divisors[] = {3, -3, 2, -0.5};
	unsigned char way;
	double x;
	klee_make_symbolic(&way, sizeof way, "way");
	klee_make_symbolic(&x, sizeof x, "x");
	for (int at = 0; at < 10; at++) {
		if (way != at)
			continue;
		klee_assume(bits(x) == bits(numbers[at]));
		for (int by = 0; by < 4; by++)
			if (bits(fmod(x, divisors[by])) != bits(fmod(numbers[at], divisors[by])))
				return 1;
		return 0;
	}
	return 2;
}

/* The interface of software-verification harnesses.
 * inputs: 256
 * faults: yes */
#include "../agree.h"

unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int condition);
void reach_error(void);

int main(void)
{
	unsigned char x = __VERIFIER_nondet_uchar();
	__VERIFIER_assume(x % 2 == 0);
	if (x == 42)
		reach_error();
	if (x == 43)
		puts("impossible");
	return decide(x > 100);
}

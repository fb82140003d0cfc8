/* A harness of the software verification competition.
 * errors: assert
 * exits: 0 */
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "verifier.c", 3, "reach_error"); }
void assume_abort_if_not(int cond)
{
	if (!cond) { abort(); }
}
void __VERIFIER_assert(int cond)
{
	if (!(cond)) {
	ERROR: { reach_error(); abort(); }
	}
	return;
}
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int();
extern unsigned char __VERIFIER_nondet_uchar();

int main()
{
	int x = __VERIFIER_nondet_int();
	unsigned char y = __VERIFIER_nondet_uchar();
	__VERIFIER_assume(x > 0 && x < 100);
	while (x < 100) {
		x += y;
		if (y == 0)
			return 0;
	}
	__VERIFIER_assert(x < 354);
	return 0;
}

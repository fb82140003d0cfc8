/* The head that programs of the competitions have, with a type that is not spelled as in C.
 * errors: assert
 * exits: 0 */
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__nothrow__, __leaf__))
__attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "array.c", 3, "reach_error"); }
extern void abort(void);
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: {reach_error(); abort();} } }
extern int __VERIFIER_nondet_int();
extern unsigned char __VERIFIER_nondet_uchar(void);
extern signed char __VERIFIER_nondet_schar(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main()
{
	int a[4];
	unsigned char n = __VERIFIER_nondet_uchar();
	signed char c = __VERIFIER_nondet_schar();
	if (n >= 4) return 0;
	for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
	_Bool b = __VERIFIER_nondet_bool();
	for (int i = 0; i < n; i++)
		__VERIFIER_assert(b || c < 0 || a[i] != 17);
	return 0;
}

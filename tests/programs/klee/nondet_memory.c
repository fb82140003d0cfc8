/* Part of an object becomes unknown.
 * exits: 0 1 2 */
extern void __VERIFIER_nondet_memory(void *, unsigned long);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
	int a[4] = { 1, 2, 3, 4 };
	__VERIFIER_nondet_memory(&a[1], 2 * sizeof a[0]);
	__VERIFIER_atomic_begin();
	int sum = a[0] + a[3];
	__VERIFIER_atomic_end();
	if (a[1] == 77 && a[2] == -77)
		return 1;
	if (sum == 5 && __VERIFIER_nondet_bool())
		return 2;
	return 0;
}

/* Atomic exchanges of pointers. */
#include "alias.h"
#include <stdatomic.h>
int x, y;
_Atomic(int *) shared = &x;
int main(void)
{
	int *old = atomic_exchange(&shared, &y);
	MUSTALIAS(old, &x);
	MUSTALIAS(atomic_load(&shared), &y);
	int *expected = &y;
	atomic_compare_exchange_strong(&shared, &expected, &x);
	MUSTALIAS(atomic_load(&shared), &x);
	NOALIAS(atomic_load(&shared), &expected);
	atomic_uintptr_t bits = (uintptr_t)&x;
	atomic_fetch_or(&bits, 1);
	MUSTALIAS((int *)(atomic_load(&bits) & ~(uintptr_t)1), &x);
	return 0;
}

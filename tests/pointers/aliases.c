/* Symbols with several names. */
#include "alias.h"
int x, y;
int *first = &x;
extern int *second __attribute__((alias("first")));
static int *identity(int *p) { return p; }
int *weak_identity(int *p) __attribute__((weak, alias("identity")));
extern int *absent(int *) __attribute__((weak));
int *replaceable(void) __attribute__((weak));
int *replaceable(void) { return &x; }
struct operations { int *(*call)(int *); };
static const struct operations operations = { weak_identity };
int main(void)
{
	MUSTALIAS(second, &x); MUSTALIAS(&second, &first);
	second = &y;
	MUSTALIAS(first, &y);
	MUSTALIAS(weak_identity(&x), &x); MUSTALIAS(operations.call(&y), &y);
	MUSTALIAS(replaceable(), &x);
	NOALIAS(replaceable(), &y);
	if (absent) absent(&x);
	return 0;
}

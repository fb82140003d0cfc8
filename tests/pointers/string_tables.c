/* Tables of constants, which the compiler may turn into distances. */
#include "alias.h"
static const char zero[] = "zero", one[] = "one", two[] = "two";
static int a, b, c;
static const char *name(int n)
{
	static const char *const names[] = { zero, one, two };
	return names[n];
}
static const char *chosen(int n)
{
	switch (n) {
	case 0: return zero;
	case 1: return one;
	case 2: return two;
	case 3: return zero;
	default: return "many";
	}
}
static int *variable(int n) { return n == 0 ? &a : n == 1 ? &b : &c; }
int main(int argc, char **argv)
{
	MUSTALIAS(name(argc), one); MUSTALIAS(chosen(argc + 1), two); MUSTALIAS(variable(argc), &b);
	NOALIAS(name(argc), &a); NOALIAS(variable(argc), one);
	return 0;
}

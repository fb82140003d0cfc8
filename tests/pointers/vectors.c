/* Loops that the compiler may turn into vector code. */
#include "alias.h"
int x, y;
int main(int argc, char **argv)
{
	int *from[16], *to[16];
	uintptr_t sum[16];
	for (int i = 0; i < 16; i++) from[i] = &x;
	for (int i = 0; i < 16; i++) to[i] = from[i];
	for (int i = 0; i < 16; i++) sum[i] = (uintptr_t)to[i] + 4;
	MUSTALIAS(to[argc], &x);
	MUSTALIAS((void *)(sum[argc + 3] - 4), &x);
	NOALIAS(to[argc], &y);
	return 0;
}

/* Decisions everywhere: at branches, in system calls, in resolutions, at faults. */
#include <klee/klee.h>
#include <stdlib.h>

long __plat_syscall(long number, long a, long b, long c, long d, long e, long f);

int main(void)
{
	unsigned char x, y;
	int code = 0;
	int *cells[3];
	klee_make_symbolic(&x, 1, "x");
	klee_make_symbolic(&y, 1, "y");
	for (int i = 0; i < 3; i++) {
		cells[i] = malloc(4 + i);
		*cells[i] = i;
	}
	if (x < 3)
		code += 1;
	/* write: which descriptor, and how much of it */
	code += __plat_syscall(1, 1 + (y & 1), (long)"abcdef", x & 3, 0, 0, 0);
	if (y > 100)
		code += 10;
	/* lseek: refused or not */
	if (__plat_syscall(8, x & 4, 0, y & 1, 0, 0, 0) < 0)
		code += 20;
	code += *cells[y % 3];
	if (x == 77)
		*(volatile int *)8 = 1;
	__plat_syscall(1, 1, (long)"tail", 4, 0, 0, 0);
	return code;
}

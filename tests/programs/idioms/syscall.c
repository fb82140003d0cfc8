/* The kernel, asked without the C library; the exit code is the number of the first answer that is wrong. */
#include <errno.h>
#include <stddef.h>

static long three(long number, long a, const void *b, size_t c)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
}

static long map(size_t size)
{
	long result = 9;
	register long flags __asm__("r10") = 0x22;
	register long file __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	__asm__ volatile("syscall" : "+a"(result) : "D"(0), "S"(size), "d"(3), "r"(flags), "r"(file), "r"(offset)
		: "rcx", "r11", "memory");
	return result;
}

int main(int argc, char **argv)
{
	const char *text = argc > 1 && argv[1][0] == 'q' ? "yes\n" : "no\n";
	size_t length = text[0] == 'y' ? 4 : 3;
	if (three(1, 1, text, length) != (long)length) return 1;
	if (three(1, -1, text, length) != -EBADF) return 2;
	char *page = (char *)map(4096);
	if ((long)page < 0) return 3;
	page[4095] = text[0];
	if (page[4095] != text[0] || page[0]) return 4;
	return 0;
}

/* The executor's interface to the C library, natively: system calls are real.
 *
 * A linked program that is compiled to an object and linked with this file and
 * nothing else (-static -nostdlib) is an ordinary executable, so whatever plat
 * executes can be run natively and compared. */
typedef unsigned long size;

long __plat_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;
	__asm__ __volatile__ ("syscall" : "=a"(result)
		: "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return result;
}

_Noreturn void __plat_abort(const char *message)
{
	size n = 0;
	while (message[n]) n++;
	__plat_syscall(1, 2, (long)message, n, 0, 0, 0);
	__plat_syscall(1, 2, (long)"\n", 1, 0, 0, 0);
	for (;;) __builtin_trap();
}

/* Here is the first thread alone. */
long __plat_clone(int (*f)(void *), void *argument, void *structure, int *id, volatile int *clear, void **place)
{
	enum { ENOSYS = 38 };
	(void)f, (void)argument, (void)structure, (void)id, (void)clear, (void)place;
	return -ENOSYS;
}

long __plat_spawn(void)
{
	enum { SYS_fork = 57 };
	return __plat_syscall(SYS_fork, 0, 0, 0, 0, 0, 0);
}

/* The heap: blocks are carved off arenas and never reused. The word before a
 * block is the size that it was asked for. */
enum { SYS_mmap = 9, PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22 };
static char *next, *end;

static void *allocate(size n, size align)
{
	size room = n + align + sizeof(size);
	if (room < n) return 0;
	if ((size)(end - next) < room) {
		size arena = room > (64ul << 20) ? room : 64ul << 20;
		long p = __plat_syscall(SYS_mmap, 0, arena, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
		if (p < 0) return 0;
		next = (char *)p;
		end = next + arena;
	}
	size block = ((size)next + sizeof(size) + align - 1) & -align;
	((size *)block)[-1] = n;
	next = (char *)block + n;
	return (void *)block;
}

size __plat_msize(void *p) { return p ? ((size *)p)[-1] : 0; }

/* Weak: a program linked without -u __errno_location keeps errno to itself. */
__attribute__((weak)) int *__errno_location(void);
enum { ENOMEM = 12, EINVAL = 22 };
static void *or_enomem(void *p)
{
	if (!p && __errno_location) *__errno_location() = ENOMEM;
	return p;
}

void *malloc(size n) { return or_enomem(allocate(n, 16)); }
void free(void *p) { (void)p; }
void *calloc(size m, size n)
{
	size total;
	if (__builtin_mul_overflow(m, n, &total)) return or_enomem(0);
	return malloc(total);		/* fresh pages are zero, and none is reused */
}
void *realloc(void *p, size n)
{
	char *from = p, *to = malloc(n);
	if (!to || !from) return to;
	size old = __plat_msize(p);
	for (size i = 0; i < old && i < n; i++) to[i] = from[i];
	return to;
}
void *reallocarray(void *p, size m, size n)
{
	size total;
	if (__builtin_mul_overflow(m, n, &total)) return or_enomem(0);
	return realloc(p, total);
}
void *memalign(size align, size n) { return or_enomem(allocate(n, align < 16 ? 16 : align)); }
void *aligned_alloc(size align, size n) { return memalign(align, n); }
int posix_memalign(void **result, size align, size n)
{
	if (align < sizeof(void *) || align & (align - 1)) return EINVAL;
	void *p = allocate(n, align);
	if (!p) return ENOMEM;
	*result = p;
	return 0;
}
size malloc_usable_size(void *p) { return __plat_msize(p); }

/* Non-local jumps. The buffer holds rbx rbp r12-r15, rsp and the return address. */
__asm__(
	".text\n"
	".globl setjmp, _setjmp, sigsetjmp, __sigsetjmp, longjmp, _longjmp\n"
	"setjmp: _setjmp: sigsetjmp: __sigsetjmp:\n"
	"	mov %rbx, (%rdi)\n	mov %rbp, 8(%rdi)\n	mov %r12, 16(%rdi)\n"
	"	mov %r13, 24(%rdi)\n	mov %r14, 32(%rdi)\n	mov %r15, 40(%rdi)\n"
	"	lea 8(%rsp), %rdx\n	mov %rdx, 48(%rdi)\n"
	"	mov (%rsp), %rdx\n	mov %rdx, 56(%rdi)\n"
	"	xor %eax, %eax\n	ret\n"
	"longjmp: _longjmp:\n"
	"	xor %eax, %eax\n	cmp $1, %esi\n	adc %esi, %eax\n"
	"	mov (%rdi), %rbx\n	mov 8(%rdi), %rbp\n	mov 16(%rdi), %r12\n"
	"	mov 24(%rdi), %r13\n	mov 32(%rdi), %r14\n	mov 40(%rdi), %r15\n"
	"	mov 48(%rdi), %rsp\n	jmp *56(%rdi)\n");

/* Constructors and destructors, where the linker puts them. */
typedef void (*hook)(void);
extern const hook __init_array_start[] __attribute__((weak, visibility("hidden")));
extern const hook __init_array_end[] __attribute__((weak, visibility("hidden")));
void __plat_run_ctors(void)
{
	for (const hook *p = __init_array_start; p < __init_array_end; p++) (*p)();
}

int __plat_start(int (*)(int, char **, char **), int, char **, char **);
int main(int, char **, char **);

__attribute__((used)) static void enter(long *stack)
{
	int argc = *stack;
	char **argv = (char **)(stack + 1);
	__plat_start(main, argc, argv, argv + argc + 1);
}
__asm__(".text\n.globl _start\n_start:\n	xor %ebp, %ebp\n	mov %rsp, %rdi\n	and $-16, %rsp\n	call enter\n");

/* Nothing is loaded dynamically. */
#define LDSO_ARCH "x86_64"
#define CRTJMP(pc, sp) __builtin_trap()

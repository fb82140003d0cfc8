/* The running thread. The executor stores here when it switches threads; in a program that makes none,
 * the link puts the first thread's address in place of it. */
struct __pthread;
extern struct __pthread *__plat_self;
#define __pthread_self() (__plat_self)
#define MC_PC gregs[REG_RIP]

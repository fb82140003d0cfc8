/* The one thread is a global, so errno and the locale have constant places. */
struct __pthread;
extern struct __pthread __plat_thread;
#define __pthread_self() (&__plat_thread)
#define MC_PC gregs[REG_RIP]

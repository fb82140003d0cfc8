/* Threads are musl's. Here is what it takes from the machine: the thread's own memory, and its end. */
#include <errno.h>
#include "pthread_impl.h"

/* Of the memory for thread-local variables a thread needs the structure alone: the variables of
 * other threads than the first are objects that the executor makes. */
void *__copy_tls(unsigned char *mem)
{
	struct pthread *thread = (void *)(mem + __PLAT_TLS_SIZE - sizeof *thread);
	thread->dtv = 0;
	return thread;
}

/* A detached thread gives its memory back and ends. Its stack is not in that memory. */
void __unmapself(void *base, size_t size)
{
	__syscall(SYS_munmap, base, size);
	for (;;) __syscall(SYS_exit, 0);
}

/* What concerns the whole process, as user ids, the executor has once. */
void __synccall(void (*f)(void *), void *arg) { f(arg); }
void __reset_tls(void) { }
int __set_thread_area(void *p) { return 0; }

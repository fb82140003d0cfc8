/* Threads cannot be created; everything else about them works with one. */
#include <errno.h>
#include <stdlib.h>
#include "pthread_impl.h"

int __pthread_create(pthread_t *restrict t, const pthread_attr_t *restrict attr,
	void *(*entry)(void *), void *restrict arg)
{
	return EAGAIN;
}
weak_alias(__pthread_create, pthread_create);

_Noreturn void __pthread_exit(void *result) { exit(0); }
weak_alias(__pthread_exit, pthread_exit);

int pthread_cancel(pthread_t t) { return ENOSYS; }
void __testcancel(void) { }

void __do_cleanup_push(struct __ptcb *cb)
{
	cb->__next = __plat_thread.cancelbuf;
	__plat_thread.cancelbuf = cb;
}
void __do_cleanup_pop(struct __ptcb *cb) { __plat_thread.cancelbuf = cb->__next; }

void __synccall(void (*f)(void *), void *arg) { f(arg); }
void __reset_tls(void) { }
void __tl_lock(void) { }
void __tl_unlock(void) { }
void __tl_sync(pthread_t t) { }
int __set_thread_area(void *p) { return 0; }
void __unmapself(void *base, size_t size) { a_crash(); }

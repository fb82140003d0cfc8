/* Cancellation, at the points where POSIX has it. Without signals: a thread that waits is woken with
 * EINTR. A thread that can be cancelled anywhere is cancelled at the next such point. */
#include <errno.h>
#include "pthread_impl.h"
#include "syscall.h"

static long cancelled(void)
{
	pthread_t self = __pthread_self();
	if (self->canceldisable == PTHREAD_CANCEL_ENABLE || self->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	self->canceldisable = PTHREAD_CANCEL_DISABLE;
	return -ECANCELED;
}

hidden long __syscall_cp_c(syscall_arg_t nr, syscall_arg_t u, syscall_arg_t v, syscall_arg_t w,
	syscall_arg_t x, syscall_arg_t y, syscall_arg_t z)
{
	pthread_t self = __pthread_self();
	long result;

	if (self->canceldisable == PTHREAD_CANCEL_DISABLE || (self->canceldisable && nr == SYS_close))
		return __syscall(nr, u, v, w, x, y, z);
	if (self->cancel) return cancelled();
	result = __syscall(nr, u, v, w, x, y, z);
	if (result == -EINTR && nr != SYS_close && self->cancel && self->canceldisable != PTHREAD_CANCEL_DISABLE)
		result = cancelled();
	return result;
}

void __testcancel(void)
{
	pthread_t self = __pthread_self();
	if (self->cancel && !self->canceldisable) cancelled();
}

int pthread_cancel(pthread_t t)
{
	a_store(&t->cancel, 1);
	if (t != __pthread_self()) return pthread_kill(t, SIGCANCEL);
	if (t->canceldisable == PTHREAD_CANCEL_ENABLE && t->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	return 0;
}

/* pthread_cleanup_push and its counterpart, as the system's headers expand them: a buffer of setjmp,
 * to which the end of the thread jumps, and four words, which hold the entry of musl's list. */
#include <setjmp.h>
#include "pthread_impl.h"

struct buffer { long jump[8]; int saved; void *words[4]; };

static void leave(void *buffer) { longjmp(buffer, 1); }

void __pthread_register_cancel(struct buffer *buffer)
{
	struct __ptcb *entry = (void *)buffer->words;
	entry->__f = leave;
	entry->__x = buffer;
	__do_cleanup_push(entry);
}
void __pthread_unregister_cancel(struct buffer *buffer) { __do_cleanup_pop((void *)buffer->words); }
_Noreturn void __pthread_unwind_next(struct buffer *buffer) { pthread_exit(__pthread_self()->result); }

struct frame { void (*routine)(void *); void *argument; int run, type; };
void __pthread_cleanup_routine(struct frame *frame) { if (frame->run) frame->routine(frame->argument); }

/* Destructors of thread-local objects. Those of the first thread run when the program exits, in the
 * order in which all destructors were registered; those of others when their thread ends. */
#include <stdlib.h>
#include "pthread_impl.h"

extern struct pthread __plat_thread;
int __cxa_atexit(void (*)(void *), void *, void *);

struct call { void (*f)(void *); void *argument; struct call *next; };
static _Thread_local struct call *calls;

int __cxa_thread_atexit_impl(void (*f)(void *), void *argument, void *dso)
{
	struct call *call;
	if (__pthread_self() == &__plat_thread) return __cxa_atexit(f, argument, dso);
	call = malloc(sizeof *call);
	if (!call) return -1;
	call->f = f;
	call->argument = argument;
	call->next = calls;
	calls = call;
	return 0;
}

void __plat_end_thread_locals(void)
{
	while (calls) {
		struct call *call = calls;
		calls = call->next;
		call->f(call->argument);
		free(call);
	}
}

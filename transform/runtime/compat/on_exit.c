/* on_exit: as atexit, with the exit code and an argument. */
#include <errno.h>
#include <stdlib.h>

int __cxa_atexit(void (*)(void *), void *, void *);

/* The exit code, which exit stores. */
extern int __plat_exit_code;

struct handler {
	void (*function)(int, void *);
	void *argument;
};

static void call(void *data)
{
	struct handler handler = *(struct handler *)data;
	free(data);
	handler.function(__plat_exit_code, handler.argument);
}

int on_exit(void (*function)(int, void *), void *argument)
{
	struct handler *handler = malloc(sizeof *handler);
	if (!handler) return -1;
	handler->function = function;
	handler->argument = argument;
	return __cxa_atexit(call, handler, 0);
}

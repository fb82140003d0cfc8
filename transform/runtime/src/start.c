/* Entry of every linked program, and the first thread.
 *
 * The program starts at __plat_start and never at main, so that constructors
 * run and that returning from main ends in exit, which flushes stdio. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
#include "libc.h"
#include "pthread_impl.h"

struct pthread __plat_thread = {
	.self = &__plat_thread,
	.prev = &__plat_thread,
	.next = &__plat_thread,
	.tid = 1000,
	.detach_state = DT_JOINABLE,
	.locale = &libc.global_locale,
	.robust_list.head = &__plat_thread.robust_list.head,
};
struct pthread *__plat_self = &__plat_thread;
volatile int __thread_list_lock;

/* The executor walks llvm.global_ctors. It may run llvm.global_dtors in place
 * of the empty __plat_run_dtors. */
void __plat_run_ctors(void);
weak void __plat_run_dtors(void) { }

/* In place of the library's walk over .fini_array. */
void __libc_exit_fini(void) { __plat_run_dtors(); }

int __plat_start(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
{
	static size_t no_auxv[2];
	char *name = argc > 0 && argv[0] ? argv[0] : "";

	__environ = envp;
	libc.auxv = no_auxv;
	libc.page_size = 4096;
	__progname = __progname_full = name;
	for (; *name; name++)
		if (*name == '/') __progname = name + 1;
	__plat_run_ctors();
	exit(main(argc, argv, envp));
}

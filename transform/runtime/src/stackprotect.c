/* For programs that were compiled with the stack protector. */
#include <stdint.h>
#include "pthread_impl.h"

uintptr_t __stack_chk_guard = 0x00a5a5a5a5a5a500;
void __init_ssp(void *entropy) { }
void __stack_chk_fail(void) { __plat_abort("stack smashing detected"); }

#include "fortify.h"

_Noreturn void __plat_abort(const char *);

_Noreturn void __chk_fail(void) { __plat_abort("buffer overflow detected"); }
_Noreturn void __fortify_fail(const char *message) { __plat_abort(message); }

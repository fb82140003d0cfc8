/* What the system's library says of itself, of its heap and of the stack. There is nothing to say of
 * a heap that the executor keeps, and a stack is not to be walked. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Within the library these are other names of the same. */
#undef __libc_malloc
#undef __libc_calloc
#undef __libc_realloc
#undef __libc_free

const char *gnu_get_libc_version(void) { return "2.36"; }
const char *gnu_get_libc_release(void) { return "stable"; }

struct mallinfo { int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; };
struct mallinfo2 { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; };
struct mallinfo mallinfo(void) { return (struct mallinfo){0}; }
struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0}; }
int mallopt(int parameter, int value) { return 1; }
int malloc_trim(size_t pad) { return 0; }
void malloc_stats(void) { }
int malloc_info(int options, FILE *file) { return fputs("<malloc version=\"1\">\n</malloc>\n", file) < 0 ? -1 : 0; }
void mtrace(void) { }
void muntrace(void) { }
int mcheck(void (*function)(int)) { return 0; }
int mcheck_pedantic(void (*function)(int)) { return 0; }
void mcheck_check_all(void) { }
int mprobe(void *object) { return 0; }
void *pvalloc(size_t size) { return aligned_alloc(4096, (size + 4095) & ~(size_t)4095); }
void cfree(void *object) { free(object); }
void *__libc_malloc(size_t size) { return malloc(size); }
void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__libc_realloc(void *object, size_t size) { return realloc(object, size); }
void *__libc_memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
void __libc_free(void *object) { free(object); }

int backtrace(void **frames, int count) { return 0; }
char **backtrace_symbols(void *const *frames, int count) { return calloc(count + 1, sizeof(char *)); }
void backtrace_symbols_fd(void *const *frames, int count, int fd) { }
int _Unwind_Backtrace(void *visit, void *argument) { return 5; } /* the end of the stack */
struct dl_phdr_info;
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument) { return 0; }

/* Profiling hooks that compilers call. */
void __cyg_profile_func_enter(void *function, void *from) { }
void __cyg_profile_func_exit(void *function, void *from) { }
void __fentry__(void) { }
void mcount(void) { }
void _mcount(void) { }

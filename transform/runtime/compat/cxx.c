/* What C++ objects with a static lifetime refer to. */
__attribute__((visibility("hidden"))) void *__dso_handle;

int __cxa_atexit(void (*)(void *), void *, void *);
int __cxa_thread_atexit_impl(void (*f)(void *), void *argument, void *dso)
{ return __cxa_atexit(f, argument, dso); }

/* What C++ objects with a static lifetime refer to. */
__attribute__((visibility("hidden"))) void *__dso_handle;

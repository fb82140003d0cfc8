/* strerror_r as the system's headers declare it for GNU sources, which all of C++ are: it returns the
 * text, and may leave the buffer alone. */
#include <stddef.h>
#undef strerror_r

char *strerror(int);

char *gnu_strerror_r(int error, char *buffer, size_t size) __asm__("strerror_r");
char *gnu_strerror_r(int error, char *buffer, size_t size) { return strerror(error); }

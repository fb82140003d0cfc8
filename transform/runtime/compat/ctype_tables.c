/* Character classes as tables that are read directly. */
#define _GNU_SOURCE
#include <ctype.h>
#undef _tolower
#undef _toupper
#undef isctype

const unsigned short **__ctype_b_loc(void);
int _tolower(int c) { return tolower(c); }
int _toupper(int c) { return toupper(c); }
int __isctype(int c, int mask) { return (*__ctype_b_loc())[c] & mask; }
int isctype(int c, int mask) { return (*__ctype_b_loc())[c] & mask; }
void __ctype_init(void) { }

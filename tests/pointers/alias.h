/* What a pointer analysis has to find out about the pointers of a program.
 * MUSTALIAS: equal in every run that gets there, so their points-to sets meet.
 * MAYALIAS: equal in some run.
 * NOALIAS: never equal; a precise analysis says so. */
#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
void MUSTALIAS(const volatile void *p, const volatile void *q);
void MAYALIAS(const volatile void *p, const volatile void *q);
void NOALIAS(const volatile void *p, const volatile void *q);

/* What a pointer analysis has to find out about the pointers of a program.
 * MUSTALIAS: equal in every run that gets there, so their points-to sets meet.
 * NOALIAS: never point into the same object; the analysis is precise enough to say so. */
#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
void MUSTALIAS(const volatile void *p, const volatile void *q);
void NOALIAS(const volatile void *p, const volatile void *q);

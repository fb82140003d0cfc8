/* The claims of the corpus, checked by running the programs. */
#include <stdio.h>
#include "alias.h"
static void expect(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "%s does not hold\n", what);
		abort();
	}
}
void MUSTALIAS(const volatile void *p, const volatile void *q) { expect(p == q, "MUSTALIAS"); }
void MAYALIAS(const volatile void *p, const volatile void *q) { }
void NOALIAS(const volatile void *p, const volatile void *q) { expect(p != q, "NOALIAS"); }

/* What the programs call but the analysis does not see. */
struct box { int *p; };
void *opaque_identity(void *p) { return p; }
void opaque_fill(struct box *box, int *p) { box->p = p; }
void opaque_call(void (*f)(void *), void *p) { f(p); }
static void *kept;
void opaque_keep(void *p) { kept = p; }
void *opaque_kept(void) { return kept; }

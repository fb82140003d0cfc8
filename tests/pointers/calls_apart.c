/* A function is called through a pointer that came by a way the analysis does not see: nothing of
 * the program connects the call with the function. */
#include "alias.h"
void opaque_keep(void *);
void *opaque_kept(void);
static int x;
static int *mark;
__attribute__((noinline)) static void *make(size_t size, int *given)
{
	void *block = malloc(size);
	mark = given;
	opaque_keep(block);
	return block;
}
int main(void)
{
	opaque_keep((void *)make);
	void *(*function)(size_t, int *) = (void *(*)(size_t, int *))opaque_kept();
	void *made = function(8, &x);
	MUSTALIAS(made, opaque_kept());
	opaque_keep(&x);
	MUSTALIAS(mark, opaque_kept());
	return 0;
}

/* An interpreter with a table of labels. */
#include "alias.h"
static int x, y;
int main(int argc, char **argv)
{
	static const void *const table[] = { &&push_x, &&push_y, &&drop, &&stop };
	static const unsigned char code[] = { 0, 1, 2, 0, 3 };
	int *stack[8], **top = stack, *last = NULL;
	const unsigned char *at = code;
	goto *table[*at++];
push_x: *top++ = &x; goto *table[*at++];
push_y: *top++ = &y; goto *table[*at++];
drop: last = *--top; goto *table[*at++];
stop:
	MUSTALIAS(last, &y); MUSTALIAS(stack[1], &x); MUSTALIAS(top, stack + 2);
	NOALIAS(top, &x);
	return 0;
}

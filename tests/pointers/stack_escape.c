/* Addresses of locals kept in the heap and in globals. */
#include "alias.h"
struct frame { struct frame *up; int *value; };
static struct frame *top;
static int *find(int depth)
{
	struct frame *f = top;
	while (depth--) f = f->up;
	return f->value;
}
static int *descend(int depth, int *value)
{
	int local = 0;
	struct frame frame = { top, depth ? &local : value };
	top = &frame;
	int *result = depth ? descend(depth - 1, value) : find(0);
	top = frame.up;
	return result;
}
int main(int argc, char **argv)
{
	int x, y = 0;
	MUSTALIAS(descend(3, &x), &x);
	NOALIAS(&y, top);
	return 0;
}

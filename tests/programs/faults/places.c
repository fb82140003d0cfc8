/* Faults by instruction: on one line, in library functions that are called from several places, of
 * computed jumps, and of stack objects that have ended. */
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

static char block[4], other[4];
static volatile int sink, eight = 8;
static char *volatile null;

static int element(int i)
{
	return block[i]; //~ ptr: memory error: out of bound pointer | global block
}
static int *dangling(void)
{
	int local = 7;
	int *volatile p = &local;
	return p;
}
static int jump(int to)
{
	static void *const labels[] = {&&one, &&two};
	if (to < 2)
		goto *labels[to];
	goto *(void *)(labels[0] + 100); //~? ptr: indirectbr: illegal label address
one:
	return 1;
two:
	return 2;
}

int main(void)
{
	int way = klee_range(0, 14, "way");
	char *p = malloc(4);
	if (way == 0)
		sink = element(eight);
	if (way == 1)
		sink = element(eight + 1);
	if (way == 2 || way == 3)
		sink = way == 2 ? block[eight] : other[eight]; //~ ptr: memory error: out of bound pointer | global block //~ ptr: memory error: out of bound pointer | global other
	if (way == 4)
		sink = (int)strlen(null); //~ ptr: memory error: null page access
	if (way == 5)
		sink = (int)strlen(null); //~ ptr: memory error: null page access
	if (way == 6)
		memset(p, 1, eight); //~ ptr: memory error: out of bound pointer | heap object
	if (way == 7)
		memset(block, 1, eight); //~ ptr: memory error: out of bound pointer | global block
	if (way == 8)
		sink = *dangling(); //~ ptr: memory error: use after return | lifetime: ended when its function returned at dangling()
	if (way == 9) {
		char *volatile kept;
		{
			char some[eight];
			some[0] = 1;
			kept = some;
		}
		sink = *kept; //~? ptr: memory error: use after scope | lifetime: ended with its scope at main()
	}
	if (way == 10)
		assert(way == 11); //~ assert: ASSERTION FAIL: way == 11
	if (way == 11)
		sink = jump(1);
	if (way == 12)
		sink = jump(2);
	free(p);
	return 0;
}

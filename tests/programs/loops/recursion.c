/* Recursion without end, and with one.
 * flags: -fno-finite-loops
 * arguments: --sym-arg 1 */
#include <stdlib.h>
#include <string.h>

static volatile int sink;

/* Calls itself with what it got. */
static int itself(int n) //~ loop: infinite recursion
{
	int local[20];
	local[n] = n;
	return itself(n) + local[n];
}

/* Two functions that call each other. */
static int odd(int n);
static int even(int n)
{
	return n == 0 ? 1 : odd(n == 1 ? 4 : n - 1); //~ loop: infinite recursion
}
static int odd(int n)
{
	return n == 0 ? 0 : even(n == 1 ? 4 : n - 1);
}

/* A tree whose branch leads to its root. */
struct tree { struct tree *left, *right; int value; };
static int sum(struct tree *tree)
{
	if (!tree) //~ loop: infinite recursion
		return 0;
	return tree->value + sum(tree->left) + sum(tree->right);
}

/* Near misses. */

static int deep(int n)
{
	char room[8];
	room[n % 8] = n;
	return n == 0 ? 0 : 1 + deep(n - 1) + room[0] * 0;
}

/* A global says how deep it is. */
static int depth;
static int counted(int n)
{
	if (depth++ > 9000)
		return 0;
	return counted(n) + 1;
}

/* Looks at how far down the stack has come, as interpreters do. (By the distance in either direction.) */
static char *bottom;
static int guarded(int turns)
{
	char here;
	long distance = (long)&here - (long)bottom;
	if (distance < 0)
		distance = -distance;
	if (distance > 60000)
		return turns;
	return guarded(turns);
}

/* Comes back often to the same depth. */
static int towers(int n)
{
	return n == 0 ? 1 : towers(n - 1) + towers(n - 1);
}

int main(int argc, char **argv)
{
	char base;
	struct tree root = { 0, 0, 1 }, leaf = { &root, 0, 2 };
	if (argc < 2)
		return 1;
	bottom = &base;
	switch (argv[1][0]) {
	case 'a': sink = itself(argc); break;
	case 'b': sink = even(argc + 6); break;
	case 'c': root.right = &leaf, sink = sum(&root); break;
	case 'A': sink = deep(20000); break;
	case 'B': sink = counted(argc); break;
	case 'C': sink = guarded(argc); break;
	case 'D': sink = towers(15); break;
	}
	return 0;
}

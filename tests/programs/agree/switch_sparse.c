/* A sparse switch on a whole byte, and one on characters.
 * inputs: 256 */
#include "../agree.h"

int main(void)
{
	signed char c;
	klee_make_symbolic(&c, 1, "c");
	switch (c * 3) {
	case -384: puts("least"); break;
	case 381: puts("most"); break;
	case 99: puts("33"); break;
	case 100: puts("impossible"); break;
	}
	switch (c) {
	case 'a': case 'e': case 'i': case 'o': case 'u': return 1;
	case '0' ... '9': return 2;
	case '\n': return 3;
	}
	return 0;
}

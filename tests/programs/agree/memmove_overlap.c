/* memmove within one buffer, by a symbolic distance and length.
 * inputs: 5 4 */
#include "../agree.h"

int main(void)
{
	char text[] = "abcdefghij";
	int distance = klee_range(0, 5, "distance"), length = klee_range(0, 4, "length");
	memmove(text + distance, text + 2, (size_t)length);
	memset(text + 9, '0' + length, 1);
	for (int i = 0; i < 10; i++)
		show("c", text[i], '0', 'j');
	return 0;
}

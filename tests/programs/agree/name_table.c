/* An array of strings of different lengths.
 * inputs: 7 */
#include "../agree.h"

static const char *const days[] = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" };

int main(void)
{
	int day = klee_range(0, 7, "day");
	const char *name = days[day];
	show("length", (long)strlen(name), 0, 10);
	show("initial", name[0], 'A', 'Z');
	if (!strcmp(name, "Friday"))
		puts("at last");
	return decide(name[1] == 'u');
}

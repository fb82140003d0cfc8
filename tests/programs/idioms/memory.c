/* Allocates in several ways. Each result that is not looked at is a fault where the allocation fails. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char *checked = malloc(10);
	if (!checked) return errno == ENOMEM ? 10 : 1;
	int *zeros = calloc(2, 4);
	if (!zeros) return 20;
	char *grown = realloc(checked, 20);
	if (!grown) {
		checked[9] = 1; /* still there */
		return 30;
	}
	void *aligned;
	int failed = posix_memalign(&aligned, 64, 64);
	if (failed) return failed == ENOMEM ? 40 : 2;
	char *unchecked = malloc(3);
	unchecked[0] = 1; /* the fault */
	char *copy = strdup("x");
	return copy ? 0 : 60;
}

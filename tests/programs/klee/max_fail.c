/* Calls that fail on request.
 * options: --max-fail 1
 * exits: 0 1 2 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char cwd[64];
	if (getcwd(cwd, sizeof cwd) == 0)
		return 1;
	if (write(1, "x\n", 2) != 2)
		return 2;
	return 0;
}

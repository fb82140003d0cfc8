/* What stat says of the input stands in the test case, behind the contents, and is no input of the
 * harness. `--sym-files 0 0` asks for none.
 * options: --sym-files 0 0 --sym-files 2 3 --sym-stdin 2
 * ktest: A_data_stat:153, stdin_stat:153, x:7
 * exits: 0 1 2 3 */
#include <klee/klee.h>
#include <sys/stat.h>

int main(void)
{
	struct stat status;
	unsigned x;
	if (stat("B", &status) || status.st_size != 3 || !S_ISREG(status.st_mode))
		return 9;
	if (fstat(0, &status) || status.st_size != 2)
		return 8;
	klee_make_symbolic(&x, sizeof x, "x");
	if (x == 7)
		return 1;
	if (x > 1000)
		return 2;
	if (x & 1)
		return 3;
	return 0;
}

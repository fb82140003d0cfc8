/* The symbolic file A by streams, named by a concrete argument; writing to it and reading back.
 * options: A --sym-files 2 3 --sym-stdout
 * exits: 0 1 2 3 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char buf[8] = {0};
	FILE *f = fopen(argv[1], "r+");
	if (!f)
		return 9;
	if (!fgets(buf, sizeof buf, f))
		return 8;
	if (strcmp(buf, "ab\n") == 0)
		return 1;
	rewind(f);
	fputc('z', f);
	rewind(f);
	int c = fgetc(f);
	fclose(f);
	if (c != 'z')
		return 7;
	f = fopen("B", "rb");
	if (!f)
		return 9;
	size_t n = fread(buf, 1, 3, f);
	fclose(f);
	if (n == 3 && buf[1] == 'Q')
		return 2;
	if (buf[0] == 0)
		return 3;
	return 0;
}

/* Files: written, read back, seeked in, removed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	FILE *f = fopen("plat-test-file.txt", "w");
	if (!f)
		return 1;
	for (int i = 0; i < 100; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	struct stat s;
	if (stat("plat-test-file.txt", &s))
		return 2;
	printf("%ld bytes, regular %d\n", (long)s.st_size, S_ISREG(s.st_mode) != 0);
	f = fopen("plat-test-file.txt", "r+");
	fseek(f, 7 * 10 + 5, SEEK_SET);
	fputc('X', f);
	rewind(f);
	char line[32];
	int lines = 0;
	while (fgets(line, sizeof line, f))
		if (strchr(line, 'X') || ++lines % 50 == 0)
			fputs(line, stdout);
	fclose(f);
	unlink("plat-test-file.txt");
	f = fopen("plat-test-file.txt", "r");
	printf("%d %s\n", f == NULL, strerror(errno));
	fputs("to standard error\n", stderr);
	return 3;
}

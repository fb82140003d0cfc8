/* Library functions that hand out fresh blocks, some through their arguments. */
#define _GNU_SOURCE
#include "alias.h"
#include <stdio.h>
int main(void)
{
	char *line = NULL, *text = NULL, *memory = NULL;
	size_t size = 0, length = 0;
	getline(&line, &size, stdin);
	char *keep = line;
	MUSTALIAS(keep, line);
	if (asprintf(&text, "%d", 1) < 0) return 1;
	MUSTALIAS(strchr(text, '1'), text);
	char *a = strdup("a"), *b = strdup("b"), *c = strndup("cd", 1);
	NOALIAS(a, b); NOALIAS(a, c); NOALIAS(b, c);
	FILE *stream = open_memstream(&memory, &length);
	fputs("m", stream); fclose(stream);
	MUSTALIAS(memchr(memory, 'm', length), memory);
	void *aligned = aligned_alloc(64, 64), *placed = NULL;
	if (posix_memalign(&placed, 64, 64)) return 1;
	NOALIAS(aligned, placed); NOALIAS(aligned, a);
	char *path = realpath("/", NULL);
	MUSTALIAS(strrchr(path, '/'), path);
	return 0;
}

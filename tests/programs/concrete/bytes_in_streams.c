/* Pointers whose bytes go through streams in memory, one at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	int **box = malloc(sizeof *box), *copy;
	*box = malloc(sizeof **box);
	**box = 1;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out) return 1;
	for (size_t i = 0; i < sizeof *box; i++) putc(((unsigned char *)box)[i], out);
	fclose(out);
	memcpy(&copy, text, sizeof copy);
	*copy += 2;
	FILE *in = fmemopen(text, size, "r");
	if (!in) return 1;
	int **again = malloc(sizeof *again);
	unsigned char *to = (unsigned char *)again;
	for (int c; (c = getc(in)) != EOF;) *to++ = c;
	**again += 4;
	rewind(in);
	int **whole = malloc(sizeof *whole);
	if (fread(whole, sizeof *whole, 1, in) != 1) return 1;
	**whole += 8;
	printf("%zu bytes, %d\n", size, **box);
	return **box;
}

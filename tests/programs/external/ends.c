/* Calls that do not come back as they should: each ends its own path and no other. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void crash(void);
void hang(void);
void overrun(char *text);
char *own_memory(void);
void leave(void);
int count(void);
int twice(int x);
int first_byte(const unsigned char *bytes);
int not_allowed(void);
int in_no_library(void);

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void say(const char *text)
{
	write(1, text, strlen(text));
}

int main(void)
{
	int way = klee_range(0, 12, "way");
	int numbers[] = {3, 1, 2};
	char *small = malloc(8);
	unsigned char symbolic;
	switch (way) {
	case 0:
		crash();
		break;
	case 1:
		hang();
		break;
	case 2:
		qsort(numbers, 3, sizeof *numbers, compare);
		break;
	case 3:
		overrun(small);
		break;
	case 4:
		own_memory();
		break;
	case 5:
		leave();
		break;
	case 6: /* the callee's own memory is fresh in every call */
		if (count() == 1 && count() == 1)
			say("fresh\n");
		break;
	case 7: /* a symbolic argument takes one value, which the path keeps */
		klee_make_symbolic(&symbolic, 1, "symbolic");
		if (twice(symbolic) == 2 * symbolic)
			say("kept\n");
		break;
	case 8: /* and so does memory */
		klee_make_symbolic(&symbolic, 1, "symbolic");
		klee_assume(symbolic > 100);
		if (first_byte(&symbolic) == symbolic)
			say("kept\n");
		break;
	case 9:
		not_allowed();
		break;
	case 10:
		in_no_library();
		break;
	case 11: /* a constant is not the callee's to change */
		overrun((char *)"a constant string, long enough for the callee to write to it");
		break;
	}
	return 0;
}

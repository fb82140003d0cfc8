/* Use after the end: of a heap block, of a function's variables; double free. */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; int value; };
static volatile int sink;
static char *kept;

static int *of_caller(int *p) { return p; }
static int *dangling(void)
{
	int local = 7;
	return of_caller(&local);
}
static void release(char *p)
{
	free(p);
}

int main(void)
{
	int way = klee_range(0, 16, "way");
	char *p = malloc(16), *q = malloc(16);
	strcpy(p, "p");
	strcpy(q, "q");
	if (way == 0) {
		free(p);
		sink = p[0]; //~ ptr: memory error: use after free | freed at: main() at | heap object
	}
	if (way == 1) {
		release(p);
		p[15] = 1; //~ ptr: memory error: use after free | freed at: release() at | of an object of 16 bytes
	}
	if (way == 2) {
		free(p);
		free(p); //~ ptr: memory error: double free | freed at: main() at
	}
	if (way == 3) {
		free(p);
		p = malloc(16);
		p[0] = 1;
		free(p);
	}
	if (way == 4)
		sink = *dangling(); //~ ptr: memory error: use after return | lifetime: ended when its function returned at dangling() at
	if (way == 5) {
		p = realloc(p, 1000);
		sink = p[0];
		free(p);
	}
	if (way == 6) {
		q = realloc(p, 1000);
		sink = p[0]; //~ ptr: memory error: use after free | freed at: main() at
	}
	if (way == 7) {
		free(p);
		p = realloc(p, 8); //~ ptr: memory error: double free
	}
	if (way == 8) {
		struct node *list = calloc(1, sizeof *list);
		list->next = calloc(1, sizeof *list);
		for (struct node *at = list; at; at = at->next) //~ ptr: memory error: use after free | 8 bytes at offset 0 of an object of 16 bytes
			free(at);
	}
	if (way == 9) {
		struct node *list = calloc(1, sizeof *list), *next;
		list->next = calloc(1, sizeof *list);
		for (; list; list = next) {
			next = list->next;
			free(list);
		}
	}
	if (way == 10) {
		kept = p + 3;
		free(p);
		sink = kept != 0; /* the pointer's value is not looked at */
	}
	if (way == 11) {
		char *which[2] = {p, q};
		int index = klee_range(0, 2, "index");
		free(p);
		sink = which[index][0]; //~ ptr: memory error: use after free | freed at: main() at
	}
	if (way == 12) {
		char *which[2] = {p, q};
		int index = klee_range(0, 2, "index");
		free(which[0]);
		free(which[index]); //~ ptr: memory error: double free | freed at: main() at
	}
	if (way == 13) {
		free(p);
		memcpy(q, p, 4); //~ ptr: memory error: use after free
	}
	if (way == 14) {
		char *none = 0;
		free(none);
		free(none);
	}
	if (way == 15) {
		free(p);
		sink = (int)strlen(p); //~ ptr: memory error: use after free | freed at: main() at
	}
	return 0;
}

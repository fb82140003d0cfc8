/* The obstacks of other C libraries' headers. */
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int main(void)
{
	struct obstack o;
	obstack_init(&o);
	char *first = obstack_copy0(&o, "first", 5);
	for (int i = 0; i < 5000; i++) obstack_1grow(&o, 'a' + i % 26);
	obstack_1grow(&o, 0);
	char *second = obstack_finish(&o);
	printf("%s %zu %c\n", first, strlen(second), second[4999]);
	obstack_free(&o, second);
	printf("%s\n", (char *)obstack_copy0(&o, "third", 5));
	obstack_free(&o, NULL);
	return 0;
}

/* container_of: links in the middle of structures. */
#include "alias.h"
struct link { struct link *next; };
struct item { long key; int *data; struct link link; };
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
int x;
int main(int argc, char **argv)
{
	struct link head = { NULL };
	for (int i = 0; i < argc + 2; i++) {
		struct item *item = malloc(sizeof *item);
		item->key = i; item->data = &x;
		item->link.next = head.next; head.next = &item->link;
	}
	struct item *item = container_of(head.next->next, struct item, link);
	MUSTALIAS(item->data, &x);
	NOALIAS(item->data, item); NOALIAS(item->link.next, &x);
	return 0;
}

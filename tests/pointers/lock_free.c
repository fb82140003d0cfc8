/* A stack and a reference count with atomic operations. */
#include "alias.h"
#include <stdatomic.h>
struct node { struct node *next; int *value; };
static _Atomic(struct node *) top;
static atomic_uintptr_t tagged;
static int x, y, *plain = &x;
static void push(struct node *n)
{
	n->next = atomic_load_explicit(&top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&top, &n->next, n))
		;
}
static struct node *pop(void)
{
	struct node *n = atomic_load(&top);
	while (n && !atomic_compare_exchange_weak(&top, &n, n->next))
		;
	return n;
}
int main(void)
{
	struct node a = { NULL, &x }, b = { NULL, &y };
	push(&a); push(&b);
	struct node *p = pop(), *q = pop();
	MUSTALIAS(p, &b); MUSTALIAS(q, &a); MUSTALIAS(q->value, &x);
	MUSTALIAS(__sync_val_compare_and_swap(&plain, &x, &y), &x); MUSTALIAS(plain, &y);
	MUSTALIAS(__atomic_exchange_n(&plain, &x, __ATOMIC_SEQ_CST), &y);
	atomic_store(&tagged, (uintptr_t)&a);
	atomic_fetch_add(&tagged, 1); atomic_fetch_xor(&tagged, 3); atomic_fetch_and(&tagged, ~(uintptr_t)3);
	MUSTALIAS((struct node *)tagged, &a);
	NOALIAS(p, &x);
	return 0;
}

/* A ring buffer of symbolic size against a plain array.
 * exits: 0 1 2 3 4
 * tests: 60 */
#include <klee/klee.h>
#include <stdlib.h>
#include <assert.h>
struct ring { int *b; unsigned cap, head, len; };

static int push(struct ring *r, int v)
{
	if (r->len == r->cap)
		return 0;
	r->b[(r->head + r->len++) % r->cap] = v;
	return 1;
}

static int pop(struct ring *r, int *v)
{
	if (!r->len)
		return 0;
	*v = r->b[r->head];
	r->head = (r->head + 1) % r->cap;
	r->len--;
	return 1;
}

int main(void)
{
	struct ring r = {0};
	r.cap = klee_range(1, 4, "cap");
	r.b = malloc(r.cap * sizeof(int));
	int model[8], h = 0, t = 0;
	for (int i = 0; i < 5; i++) {
		int op = klee_range(0, 2, "op");
		if (op) {
			if (push(&r, i))
				model[t++] = i;
			else
				assert(t - h == r.cap);
		} else {
			int v;
			if (pop(&r, &v))
				assert(v == model[h++]);
			else
				assert(t == h);
		}
	}
	free(r.b);
	return t;
}

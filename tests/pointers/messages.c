/* Pointers as integer arguments of messages, handles, and indices. */
#include "alias.h"
typedef intptr_t (*procedure)(int message, uintptr_t w, intptr_t l);
static int x, y;
static void *handles[8];
static int count;
static intptr_t handle(int message, uintptr_t w, intptr_t l)
{
	switch (message) {
	case 1: handles[count++] = (void *)l; return count - 1;
	case 2: return (intptr_t)handles[w];
	case 3: *(void **)l = (void *)w; return 0;
	default: return 0;
	}
}
static const struct { int id; procedure call; } table[] = { { 7, handle }, { 9, handle } };
static intptr_t send(int id, int message, uintptr_t w, intptr_t l)
{
	for (int i = 0; i < 2; i++)
		if (table[i].id == id) return table[i].call(message, w, l);
	return 0;
}
int main(void)
{
	int *got = NULL;
	uintptr_t h = send(7, 1, 0, (intptr_t)&x), g = send(9, 1, 0, (intptr_t)&y);
	MUSTALIAS((int *)send(7, 2, h, 0), &x); MUSTALIAS((int *)send(9, 2, g, 0), &y);
	send(7, 3, (uintptr_t)&y, (intptr_t)&got);
	MUSTALIAS(got, &y);
	NOALIAS(got, handles);
	return 0;
}

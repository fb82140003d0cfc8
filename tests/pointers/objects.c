/* Structures that begin with another, tables of methods, casts up and down. */
#include "alias.h"
struct shape;
struct methods { int *(*get)(struct shape *); struct shape *(*copy)(struct shape *); };
struct shape { const struct methods *methods; };
struct circle { struct shape shape; int *radius; };
struct square { struct shape shape; char pad[8]; int *side; };
static int x, y;
static int *circle_get(struct shape *s) { return ((struct circle *)s)->radius; }
static int *square_get(struct shape *s) { return ((struct square *)s)->side; }
static struct shape *circle_copy(struct shape *s)
{
	struct circle *c = malloc(sizeof *c);
	*c = *(struct circle *)s;
	return &c->shape;
}
static struct shape *square_copy(struct shape *s)
{
	return memcpy(malloc(sizeof(struct square)), s, sizeof(struct square));
}
static const struct methods circles = { circle_get, circle_copy }, squares = { square_get, square_copy };
int main(void)
{
	struct circle c = { { &circles }, &x };
	struct square s = { { &squares }, "", &y };
	struct shape *all[2] = { &c.shape, &s.shape };
	int *got[2];
	for (int i = 0; i < 2; i++) {
		struct shape *copy = all[i]->methods->copy(all[i]);
		got[i] = copy->methods->get(copy);
	}
	MUSTALIAS(got[0], &x); MUSTALIAS(got[1], &y);
	NOALIAS(c.radius, &y); NOALIAS(got[0], &c);
	return 0;
}

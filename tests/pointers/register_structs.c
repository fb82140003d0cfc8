/* Structures passed and returned in registers, by any combination of classes. */
#include "alias.h"
struct two { int *a, *b; };
struct mixed { double d; int *p; };
struct small { int *p; int n; };
struct nested { struct { int *p; } inner[2]; };
struct big { int *p[3]; };
union either { int *p; double d; };
static int x, y;
static struct two two(int *a, int *b) { return (struct two){ a, b }; }
static struct two swap(struct two t) { return (struct two){ t.b, t.a }; }
static struct mixed mixed(double d, int *p) { return (struct mixed){ d, p }; }
static int *out(struct mixed m, struct small s, struct nested n, struct big b, int which)
{
	return which == 0 ? m.p : which == 1 ? s.p : which == 2 ? n.inner[1].p : b.p[2];
}
static struct big big(int *p) { return (struct big){ { NULL, NULL, p } }; }
static union either either(int *p) { return (union either){ p }; }
int main(int argc, char **argv)
{
	struct two t = swap(two(&x, &y));
	MUSTALIAS(t.a, &y); MUSTALIAS(t.b, &x);
	struct nested n = { { { NULL }, { &y } } };
	struct small s = { &x, 1 };
	MUSTALIAS(out(mixed(1, &x), s, n, big(&y), 0), &x);
	MUSTALIAS(out(mixed(1, &x), s, n, big(&y), argc), &x);
	MUSTALIAS(out(mixed(1, &x), s, n, big(&y), argc + 1), &y);
	MUSTALIAS(out(mixed(1, &x), s, n, big(&y), 3), &y);
	MUSTALIAS(either(&x).p, &x);
	struct big (*volatile make)(int *) = big;
	struct two (*volatile turn)(struct two) = swap;
	MUSTALIAS(make(&x).p[2], &x); MUSTALIAS(turn(t).a, &x);
	NOALIAS(s.p, &y); NOALIAS(mixed(1, &x).p, &y);
	return 0;
}

/* Arrays of structures with arrays of structures, all indices variable. */
#include "alias.h"
struct cell { int *p; char *q; };
struct row { long id; struct cell cells[3]; struct row *up; };
struct sheet { struct row rows[4]; struct cell *current; };
static int x;
static char y;
int main(int argc, char **argv)
{
	struct sheet *s = calloc(1, sizeof *s), local = { 0 };
	for (int i = 0; i < 4; i++) {
		s->rows[i].up = &s->rows[i ? i - 1 : 0];
		for (int j = 0; j < 3; j++) {
			s->rows[i].cells[j].p = &x;
			s->rows[i].cells[j].q = &y;
		}
	}
	s->current = &s->rows[argc + 1].cells[argc];
	MUSTALIAS(s->current->p, &x); MUSTALIAS(s->rows[argc].cells[2].q, &y);
	MUSTALIAS(s->rows[3].up, &s->rows[2]); MUSTALIAS(s->rows[2].up->up, s->rows);
	NOALIAS(s->rows[argc].cells[argc].p, s->rows[argc].cells[argc].q);
	NOALIAS(s->rows[argc].up, &x); NOALIAS(s->current, &x);
	local.rows[argc] = s->rows[argc];
	MUSTALIAS(local.rows[1].cells[2].p, &x); MUSTALIAS(local.rows[1].cells[0].q, &y);
	NOALIAS(local.rows[1].cells[0].q, &x);
	return 0;
}

/* Members of unions share memory, also in parts. */
#include "alias.h"
union u { int *p; struct { uint32_t low, high; } half; char bytes[8]; double d; };
int x, y;
int main(void)
{
	union u u, v, w;
	u.p = &x;
	v.half.low = u.half.low; v.half.high = u.half.high;
	MUSTALIAS(v.p, &x);
	for (int i = 0; i < 8; i++) w.bytes[i] = v.bytes[i];
	MUSTALIAS(w.p, &x);
	v.d = u.d;
	MUSTALIAS(v.p, &x);
	NOALIAS(v.p, &y);
	return 0;
}

/* Indices below the pointer, and an array that counts from 1. */
#include "alias.h"
int x, y;
int main(int argc, char **argv)
{
	int *table[4] = { &x, &y, &y, &y };
	int **end = table + 4, **from_one = table - 1;
	MUSTALIAS(end[-4], &x);
	MUSTALIAS(from_one[argc], &x);
	int ***hold = malloc(sizeof *hold);
	*hold = end;
	MUSTALIAS((*hold)[-3], &y);
	return 0;
}

/* String functions that remember, return or store a place in their argument. */
#define _GNU_SOURCE
#include "alias.h"
int main(void)
{
	char text[] = "a b c", other[] = "x,y";
	char *first = strtok(text, " "), *second = strtok(NULL, " "), *rest;
	MUSTALIAS(first, text); MUSTALIAS(second, text + 2);
	char *at = other, *part = strsep(&at, ",");
	MUSTALIAS(part, other); MUSTALIAS(at, other + 2);
	char more[] = "p q";
	MUSTALIAS(strtok_r(more, " ", &rest), more);
	MUSTALIAS(strtok_r(NULL, " ", &rest), more + 2);
	char number[] = "12z", *end;
	strtol(number, &end, 10);
	MUSTALIAS(end, number + 2);
	strtod(number, &end);
	MUSTALIAS(end, number + 2);
	NOALIAS(end, other);
	MUSTALIAS(stpcpy(text, "ab"), text + 2);
	MUSTALIAS(mempcpy(text, "ab", 2), text + 2);
	MUSTALIAS(strpbrk(other + 2, "y"), other + 2);
	return 0;
}

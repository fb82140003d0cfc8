/* String functions return addresses in their arguments. */
#include "alias.h"
int main(int argc, char **argv)
{
	char a[16] = "key=value", b[16], *end;
	char *eq = strchr(a, '=');
	MUSTALIAS(eq, a + 3);
	MUSTALIAS(strcpy(b, "12x"), b);
	long n = strtol(b, &end, 10);
	MUSTALIAS(end, b + 2);
	char *copy = strdup(a);
	NOALIAS(copy, a); NOALIAS(eq, b);
	char *word = strtok(a, "=");
	char *next = strtok(NULL, "=");
	MUSTALIAS(word, a); MUSTALIAS(next, a + 4);
	return n != 12;
}

/* Asks another program, which paths do not run unless --system-result says what comes of it. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == '!') return system("exit 0") != 0;
	puts("nothing asked");
	return 0;
}

/* Each letter is looked at as where names are quoted for messages: what kind it is has no consequence
   but for a quote. Then the bytes decide something. */
#include <klee/klee.h>
#include <string.h>

#define LENGTH 4

static char out[16 * LENGTH];
static unsigned used;

static void store(char c)
{
	out[used++] = c;
}

static void quote(const char *name)
{
	for (unsigned i = 0; i < LENGTH; i++) {
		char c = name[i];
		switch (c) {
		case '\'':
			store('\\');
			break;
		case '*':
		case '?':
			break;
		default:
			if (c >= '0' && c <= '9') {
			}
		}
		store(c);
	}
}

int main(void)
{
	char name[LENGTH];
	klee_make_symbolic(name, sizeof name, "name");
	quote(name);
	return used + (memchr(name, '5', LENGTH) ? 16 : 0);
}

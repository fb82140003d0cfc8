/* A recursive parser of sums and products over a symbolic text.
 * exits: 0 1 42
 * errors: div */
#include <ctype.h>
#include <klee/klee.h>

static const char *at;
static int wrong;

static int sum(void);

static int factor(void)
{
	int value = 0;
	if (*at == '(') {
		at++;
		value = sum();
		if (*at == ')')
			at++;
		else
			wrong = 1;
	} else if (isdigit((unsigned char)*at)) {
		while (isdigit((unsigned char)*at))
			value = value * 10 + *at++ - '0';
	} else {
		wrong = 1;
	}
	return value;
}

static int product(void)
{
	int value = factor();
	while (!wrong && (*at == '*' || *at == '/')) {
		char operation = *at++;
		int right = factor();
		if (!wrong)
			value = operation == '*' ? value * right : value / right;
	}
	return value;
}

static int sum(void)
{
	int value = product();
	while (!wrong && (*at == '+' || *at == '-')) {
		char operation = *at++;
		int right = product();
		value = operation == '+' ? value + right : value - right;
	}
	return value;
}

int main(void)
{
	char text[4];
	klee_make_symbolic(text, sizeof text, "text");
	klee_assume(text[3] == 0);
	at = text;
	int value = sum();
	if (wrong)
		return 1;
	if (value == 42)
		return 42;
	return 0;
}

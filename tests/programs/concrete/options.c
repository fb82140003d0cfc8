/* Long options by their beginnings, and text that another character set does not have. */
#include <errno.h>
#include <getopt.h>
#include <iconv.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
	{ "csh", no_argument, NULL, 'c' },
	{ "c-shell", no_argument, NULL, 'c' },
	{ "size", required_argument, NULL, 's' },
	{ "sizes", no_argument, NULL, 't' },
	{ "print", no_argument, NULL, 'p' },
	{ NULL, 0, NULL, 0 },
};

static void read_option(char *word)
{
	char *argv[] = { "options", word, NULL };
	optind = 0;
	opterr = 0;
	int found = getopt_long(2, argv, "", options, NULL);
	printf("%s: %d %s %d\n", word, found, optarg ? optarg : "-", optind);
}

static void convert(char *text)
{
	char out[32] = "", *to = out;
	size_t left = strlen(text), room = sizeof out - 1;
	iconv_t to_ascii = iconv_open("ASCII", "UTF-8");
	size_t done = iconv(to_ascii, &text, &left, &to, &room);
	int why = done == (size_t)-1 ? errno : 0;
	printf("%s %zd %d %zu\n", out, (ssize_t)done, why, left);
	iconv_close(to_ascii);
}

int main(void)
{
	char *words[] = { "--c", "--cs", "--c-", "--size=3", "--si=3", "--sizes", "--p", "--p=3", "--none" };
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		read_option(words[i]);
	convert("plain");
	convert("Torbj\303\266rn");
	return 0;
}

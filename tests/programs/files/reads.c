/* Does to files what its arguments say: cat PATH, list DIRECTORY, stat PATH, link TARGET NAME, make PATH.
 * An argument of the form +x+PATH is the path behind it: the command line does not name that. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path(const char *argument)
{
	/* +x+PATH: no path, but for this program. */
	return strncmp(argument, "+x+", 3) ? argument : argument + 3;
}

static void failed(const char *what, const char *name)
{
	printf("%s %s: %s\n", what, name, errno == ENOENT ? "absent" : errno == EACCES ? "denied" : "failed");
}

static void cat(const char *name)
{
	char bytes[100];
	int file = open(name, O_RDONLY);
	ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof bytes);
	if (size < 0)
		failed("cat", name);
	else
		printf("cat %s: %.*s\n", name, (int)size, bytes);
}


static int is_name(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void list(const char *name)
{
	struct dirent **entries;
	int count = scandir(name, &entries, is_name, alphasort);
	if (count < 0) {
		failed("list", name);
		return;
	}
	printf("list %s:", name);
	for (int at = 0; at < count; at++)
		printf(" %s", entries[at]->d_name);
	puts("");
}

int main(int argc, char **argv)
{
	struct stat status;
	for (int at = 1; at + 1 < argc; at += 2) {
		const char *name = path(argv[at + 1]);
		if (!strcmp(argv[at], "cat"))
			cat(name);
		else if (!strcmp(argv[at], "list"))
			list(name);
		else if (!strcmp(argv[at], "stat")) {
			if (stat(name, &status))
				failed("stat", name);
			else
				printf("stat %s: %o\n", name, status.st_mode & S_IFMT);
		} else if (!strcmp(argv[at], "link")) {
			if (symlink(name, path(argv[at + 2])))
				failed("link", name);
			at++;
		} else if (!strcmp(argv[at], "make")) {
			int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
			if (file < 0)
				failed("make", name);
			else
				printf("make %s: %zd\n", name, write(file, "made", 4));
			close(file);
		}
	}
	return 0;
}

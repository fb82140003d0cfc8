/* Directories as every interface lists them without an order of its own: names that are made out of
 * order, more than one call returns, and while names come and go. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void make(const char *directory, const char *name)
{
	char path[300];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	printf("nftw %d %d %s\n", kind, at->level, path);
	return 0;
}

static void walk(char *directory)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, NULL);
	for (int i = 0; i < count; free(names[i++]))
		printf("scandir %s\n", names[i]->d_name);
	free(names);
	nftw(directory, visit, 4, FTW_PHYS);
	FTS *tree = fts_open((char *[]){ directory, NULL }, FTS_PHYSICAL, NULL);
	for (FTSENT *entry; tree && (entry = fts_read(tree));)
		printf("fts %d %s\n", entry->fts_info, entry->fts_path);
	fts_close(tree);
}

/* The system call itself, with room for few names. */
static void raw(const char *directory)
{
	char few[64];
	long got;
	int fd = open(directory, O_RDONLY | O_DIRECTORY);
	while ((got = syscall(SYS_getdents64, fd, few, sizeof few)) > 0)
		for (long at = 0; at < got; at += *(unsigned short *)(few + at + 16))
			printf("raw %d %s\n", few[at + 18], few + at + 19);
	printf("raw %ld\n", syscall(SYS_getdents64, fd, few, 1));
	lseek(fd, 0, SEEK_SET);
	printf("raw %ld\n", syscall(SYS_getdents64, fd, few, 1));
	close(fd);
	printf("raw %ld\n", syscall(SYS_getdents64, fd, few, sizeof few));
}

/* Names go while they are listed, and others come. */
static void empty(const char *directory)
{
	int listed = 0;
	struct dirent *entry;
	DIR *stream = opendir(directory);
	while ((entry = readdir(stream))) {
		if (entry->d_name[0] == '.' || ++listed % 2)
			continue;
		unlinkat(dirfd(stream), entry->d_name, 0);
	}
	printf("listed %d\n", listed);
	make(directory, "000");
	rewinddir(stream);
	for (listed = 0; (entry = readdir(stream)) && listed < 5; listed++)
		printf("left %s\n", entry->d_name);
	long here = telldir(stream);
	struct dirent *next = readdir(stream);
	printf("next %s\n", next->d_name);
	readdir(stream);
	seekdir(stream, here);
	printf("next %s\n", readdir(stream)->d_name);
	closedir(stream);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "m", "B", "a", "zz", "c", ".h", "a.b", "Z", "0", "\xe4" };
	char name[250];
	/* Paths are in the directory that plat was started in, native runs in one of their own. */
	mkdir("top", 0700);
	chdir("top");
	mkdir("d", 0700);
	mkdir("d/sub", 0700);
	for (int i = 0; i < 10; i++) {
		make("d", names[i]);
		make("d/sub", names[9 - i]);
	}
	symlink("m", "d/link");
	make(".", argv[1][0] == 'x' ? "first" : "last");
	make(".", "middle");
	walk(".");
	raw("d");
	mkdir("many", 0700);
	for (int i = 0; i < 400; i++) {
		memset(name, 'a' + i * 7 % 26, sizeof name);
		sprintf(name + 200, "%d", i);
		make("many", name);
	}
	empty("many");
	return 0;
}

/* fts: a walk over trees of files. Unlike others it never changes the directory: the path by which
 * an entry is reached (fts_accpath) is that from where the walk began. Programs see no other
 * difference. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COMFOLLOW = 1, LOGICAL = 2, NOSTAT = 8, PHYSICAL = 16, SEEDOT = 32, XDEV = 64, OPTIONS = 0xff, NAMEONLY = 0x100 };
enum { D = 1, DC, DEFAULT, DNR, DOT, DP, ERR, F, INIT, NS, NSOK, SL, SLNONE };
enum { AGAIN = 1, FOLLOW, NOINSTR, SKIP };
enum { SYMFOLLOW = 2 };

/* Both as programs have them from their headers. */
typedef struct entry {
	struct entry *cycle, *parent, *link;
	long number;
	void *pointer;
	char *accpath, *path;
	int error, symfd;
	unsigned short pathlen, namelen;
	ino_t ino;
	dev_t dev;
	nlink_t nlink;
	short level;
	unsigned short info, flags, instr;
	struct stat *statp;
	char name[];
} Entry;

typedef struct {
	Entry *cur, *child, **array;
	dev_t dev;
	char *path;
	int rfd, pathlen, nitems;
	int (*compar)(const void *, const void *);
	int options;
} Walk;

static void drop(Entry *entry)
{
	if (!entry) return;
	free(entry->statp);
	free(entry->path);
	free(entry);
}

static void drop_all(Entry *entry)
{
	while (entry) {
		Entry *next = entry->link;
		drop(entry);
		entry = next;
	}
}

static Entry *make(Entry *parent, const char *name)
{
	size_t size = strlen(name), above = parent && parent->path ? parent->pathlen : 0;
	Entry *entry = calloc(1, sizeof *entry + size + 1);
	if (!entry) return 0;
	entry->statp = calloc(1, sizeof *entry->statp);
	entry->path = malloc(above + size + 2);
	if (!entry->statp || !entry->path) {
		drop(entry);
		return 0;
	}
	strcpy(entry->name, name);
	if (above) {
		memcpy(entry->path, parent->path, above);
		if (entry->path[above - 1] != '/') entry->path[above++] = '/';
	}
	strcpy(entry->path + above, name);
	entry->pathlen = above + size;
	entry->namelen = size;
	entry->accpath = entry->path;
	entry->parent = parent;
	entry->level = parent ? parent->level + 1 : -1;
	entry->instr = NOINSTR;
	return entry;
}

static int is_dots(const char *name) { return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])); }

/* What an entry is. */
static int look(Walk *walk, Entry *entry, int follow)
{
	struct stat *status = entry->statp;
	if (walk->options & LOGICAL || follow) {
		if (stat(entry->accpath, status)) {
			int error = errno;
			if (!lstat(entry->accpath, status)) {
				errno = 0;
				return SLNONE;
			}
			entry->error = error;
			memset(status, 0, sizeof *status);
			return NS;
		}
	} else if (lstat(entry->accpath, status)) {
		entry->error = errno;
		memset(status, 0, sizeof *status);
		return NS;
	}
	entry->dev = status->st_dev;
	entry->ino = status->st_ino;
	entry->nlink = status->st_nlink;
	if (S_ISDIR(status->st_mode)) {
		if (is_dots(entry->name) && entry->level > 0) return DOT;
		for (Entry *above = entry->parent; above && above->level >= 0; above = above->parent)
			if (above->ino == entry->ino && above->dev == entry->dev) {
				entry->cycle = above;
				return DC;
			}
		return D;
	}
	return S_ISLNK(status->st_mode) ? SL : S_ISREG(status->st_mode) ? F : DEFAULT;
}

static Entry *sorted(Walk *walk, Entry *head, size_t count)
{
	if (!walk->compar || count < 2) return head;
	Entry **array = malloc(count * sizeof *array);
	if (!array) return head;
	size_t at = 0;
	for (Entry *entry = head; entry; entry = entry->link) array[at++] = entry;
	qsort(array, count, sizeof *array, walk->compar);
	for (at = 0; at + 1 < count; at++) array[at]->link = array[at + 1];
	array[at]->link = 0;
	head = array[0];
	free(array);
	return head;
}

/* The entries in a directory. Without any, the directory is done, or cannot be read. */
static Entry *children(Walk *walk, int names_only)
{
	Entry *directory = walk->cur, *head = 0, **tail = &head;
	DIR *stream = opendir(directory->accpath);
	if (!stream) {
		if (!names_only) {
			directory->info = DNR;
			directory->error = errno;
		}
		return 0;
	}
	size_t count = 0;
	for (struct dirent *name; (name = readdir(stream));) {
		if (!(walk->options & SEEDOT) && is_dots(name->d_name)) continue;
		Entry *entry = make(directory, name->d_name);
		if (!entry) {
			drop_all(head);
			closedir(stream);
			directory->info = ERR;
			errno = directory->error = ENOMEM;
			return 0;
		}
		int known = name->d_type != DT_UNKNOWN && name->d_type != DT_DIR && walk->options & NOSTAT
			&& walk->options & PHYSICAL;
		entry->info = names_only || known ? NSOK : look(walk, entry, 0);
		*tail = entry;
		tail = &entry->link;
		count++;
	}
	closedir(stream);
	if (!count && !names_only) directory->info = DP;
	return sorted(walk, head, count);
}

Walk *fts_open(char *const *paths, int options, int (*compar)(const Entry **, const Entry **))
{
	if (options & ~OPTIONS) {
		errno = EINVAL;
		return 0;
	}
	Walk *walk = calloc(1, sizeof *walk);
	Entry *above = walk ? make(0, "") : 0, *start = above ? make(0, "") : 0, *head = 0, **tail = &head;
	if (!start) goto failed;
	walk->options = options;
	walk->compar = (int (*)(const void *, const void *))compar;
	walk->rfd = -1;
	free(above->path);
	above->path = 0;
	size_t count = 0;
	for (; *paths; paths++) {
		if (!**paths) {
			errno = ENOENT;
			goto failed;
		}
		Entry *entry = make(above, *paths);
		if (!entry) goto failed;
		*tail = entry;
		tail = &entry->link;
		entry->level = 0;
		entry->info = look(walk, entry, options & COMFOLLOW);
		if (entry->info == DOT) entry->info = D;
		count++;
	}
	head = sorted(walk, head, count);
	/* In the end the name of a root is its last component. */
	for (Entry *entry = head; entry; entry = entry->link) {
		char *slash = strrchr(entry->name, '/');
		if (slash && (slash != entry->name || slash[1])) {
			slash++;
			entry->namelen = strlen(slash);
			memmove(entry->name, slash, entry->namelen + 1);
		}
	}
	start->info = INIT;
	start->link = head;
	start->parent = above;
	walk->cur = start;
	return walk;
failed:
	drop_all(head);
	drop(start);
	drop(above);
	free(walk);
	return 0;
}

Entry *fts_read(Walk *walk)
{
	Entry *entry = walk->cur, *left;
	if (!entry) return 0;
	int instr = entry->instr;
	entry->instr = NOINSTR;
	if (instr == AGAIN) {
		entry->info = look(walk, entry, 0);
		return entry;
	}
	if (instr == FOLLOW && (entry->info == SL || entry->info == SLNONE)) {
		entry->info = look(walk, entry, 1);
		return entry;
	}
	if (entry->info == D) {
		if (instr == SKIP || (walk->options & XDEV && entry->dev != walk->dev)) {
			drop_all(walk->child);
			walk->child = 0;
			entry->info = DP;
			return entry;
		}
		if (walk->child && walk->options & NAMEONLY) {
			walk->options &= ~NAMEONLY;
			drop_all(walk->child);
			walk->child = 0;
		}
		Entry *first = walk->child ? walk->child : children(walk, 0);
		walk->child = 0;
		if (!first) return entry;
		walk->cur = entry = first;
		goto found;
	}
next:
	left = entry;
	if (entry->link) {
		walk->cur = entry = entry->link;
		drop(left);
		if (entry->level == 0) walk->dev = entry->dev;
		if (entry->instr == SKIP) goto next;
	found:
		if (entry->instr == FOLLOW) {
			entry->info = look(walk, entry, 1);
			entry->instr = NOINSTR;
		}
		return entry;
	}
	walk->cur = entry = left->parent;
	drop(left);
	if (entry->level < 0) {
		drop(entry);
		walk->cur = 0;
		errno = 0;
		return 0;
	}
	entry->info = entry->error ? ERR : DP;
	return entry;
}

Entry *fts_children(Walk *walk, int instr)
{
	if (instr && instr != NAMEONLY) {
		errno = EINVAL;
		return 0;
	}
	Entry *entry = walk->cur;
	errno = 0;
	if (!entry) return 0;
	if (entry->info == INIT) return entry->link;
	if (entry->info != D) return 0;
	drop_all(walk->child);
	walk->options = instr ? walk->options | NAMEONLY : walk->options & ~NAMEONLY;
	return walk->child = children(walk, instr);
}

int fts_set(Walk *walk, Entry *entry, int instr)
{
	if (instr && instr != AGAIN && instr != FOLLOW && instr != NOINSTR && instr != SKIP) {
		errno = EINVAL;
		return 1;
	}
	entry->instr = instr;
	return 0;
}

int fts_close(Walk *walk)
{
	drop_all(walk->child);
	for (Entry *entry = walk->cur; entry;) {
		Entry *next = entry->link ? entry->link : entry->parent;
		drop(entry);
		entry = next;
	}
	free(walk);
	return 0;
}

Walk *fts64_open(char *const *paths, int options, int (*compar)(const Entry **, const Entry **))
{ return fts_open(paths, options, compar); }
Entry *fts64_read(Walk *walk) { return fts_read(walk); }
Entry *fts64_children(Walk *walk, int instr) { return fts_children(walk, instr); }
int fts64_set(Walk *walk, Entry *entry, int instr) { return fts_set(walk, entry, instr); }
int fts64_close(Walk *walk) { return fts_close(walk); }

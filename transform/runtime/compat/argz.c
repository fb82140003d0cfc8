/* argz and envz: vectors of strings in one block, each with its terminator. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef int error_t;

error_t argz_append(char **argz, size_t *length, const char *more, size_t size)
{
	char *grown = realloc(*argz, *length + size);
	if (!grown && *length + size) return ENOMEM;
	memcpy(grown + *length, more, size);
	*argz = grown;
	*length += size;
	return 0;
}

error_t argz_add(char **argz, size_t *length, const char *text)
{ return argz_append(argz, length, text, strlen(text) + 1); }

error_t argz_add_sep(char **argz, size_t *length, const char *text, int separator)
{
	while (*text) {
		size_t part = strcspn(text, (char[]){separator, 0});
		if (part) {
			char *copy = strndup(text, part);
			if (!copy) return ENOMEM;
			error_t failed = argz_add(argz, length, copy);
			free(copy);
			if (failed) return failed;
		}
		text += part;
		text += *text != 0;
	}
	return 0;
}

error_t argz_create(char *const argv[], char **argz, size_t *length)
{
	*argz = 0;
	*length = 0;
	for (; *argv; argv++)
		if (argz_add(argz, length, *argv)) return ENOMEM;
	return 0;
}

error_t argz_create_sep(const char *text, int separator, char **argz, size_t *length)
{
	*argz = 0;
	*length = 0;
	return argz_add_sep(argz, length, text, separator);
}

char *argz_next(const char *argz, size_t length, const char *entry)
{
	if (!entry) return length ? (char *)argz : 0;
	if (entry >= argz + length) return 0;
	entry += strlen(entry) + 1;
	return entry < argz + length ? (char *)entry : 0;
}

size_t argz_count(const char *argz, size_t length)
{
	size_t count = 0;
	for (const char *entry = 0; (entry = argz_next(argz, length, entry));) count++;
	return count;
}

void argz_extract(const char *argz, size_t length, char **argv)
{
	for (const char *entry = 0; (entry = argz_next(argz, length, entry));) *argv++ = (char *)entry;
	*argv = 0;
}

void argz_stringify(char *argz, size_t length, int separator)
{
	for (size_t at = 0; at + 1 < length; at++)
		if (!argz[at]) argz[at] = separator;
}

void argz_delete(char **argz, size_t *length, char *entry)
{
	if (!entry) return;
	size_t size = strlen(entry) + 1;
	*length -= size;
	memmove(entry, entry + size, *length - (entry - *argz));
	if (!*length) {
		free(*argz);
		*argz = 0;
	}
}

error_t argz_insert(char **argz, size_t *length, char *before, const char *text)
{
	if (!before) return argz_add(argz, length, text);
	if (before < *argz || before >= *argz + *length) return EINVAL;
	while (before > *argz && before[-1]) before--;
	size_t at = before - *argz, behind = *length - at, size = strlen(text) + 1;
	error_t failed = argz_append(argz, length, text, size);
	if (failed) return failed;
	memmove(*argz + at + size, *argz + at, behind);
	memcpy(*argz + at, text, size);
	return 0;
}

error_t argz_replace(char **argz, size_t *length, const char *old, const char *new, unsigned *count)
{
	if (!old || !*old) return 0;
	char *made = 0;
	size_t size = 0, found = 0, last = strlen(old);
	for (const char *entry = 0; (entry = argz_next(*argz, *length, entry));) {
		char *text = 0;
		size_t written = 0;
		const char *rest = entry, *hit;
		while ((hit = strstr(rest, old))) {
			if (argz_append(&text, &written, rest, hit - rest)) goto out;
			if (argz_append(&text, &written, new, strlen(new))) goto out;
			rest = hit + last;
			found++;
		}
		if (argz_append(&text, &written, rest, strlen(rest) + 1)) goto out;
		error_t failed = argz_append(&made, &size, text, written);
		free(text);
		if (failed) goto out;
	}
	if (found) {
		free(*argz);
		*argz = made;
		*length = size;
		if (count) *count += found;
	} else free(made);
	return 0;
out:
	free(made);
	return ENOMEM;
}

/* An entry of an envz is NAME=VALUE, or NAME alone. */
char *envz_entry(const char *envz, size_t length, const char *name)
{
	size_t size = strcspn(name, "=");
	for (const char *entry = 0; (entry = argz_next(envz, length, entry));)
		if (!strncmp(entry, name, size) && (!entry[size] || entry[size] == '=')) return (char *)entry;
	return 0;
}

char *envz_get(const char *envz, size_t length, const char *name)
{
	char *entry = envz_entry(envz, length, name);
	char *sign = entry ? strchr(entry, '=') : 0;
	return sign ? sign + 1 : 0;
}

void envz_remove(char **envz, size_t *length, const char *name)
{ argz_delete(envz, length, envz_entry(*envz, *length, name)); }

error_t envz_add(char **envz, size_t *length, const char *name, const char *value)
{
	envz_remove(envz, length, name);
	if (!value) return argz_add(envz, length, name);
	size_t size = strlen(name), all = size + strlen(value) + 2;
	char *entry = malloc(all);
	if (!entry) return ENOMEM;
	memcpy(entry, name, size);
	entry[size] = '=';
	strcpy(entry + size + 1, value);
	error_t failed = argz_append(envz, length, entry, all);
	free(entry);
	return failed;
}

error_t envz_merge(char **envz, size_t *length, const char *other, size_t size, int override)
{
	for (const char *entry = 0; (entry = argz_next(other, size, entry));) {
		int there = envz_entry(*envz, *length, entry) != 0;
		if (there && !override) continue;
		if (there) envz_remove(envz, length, entry);
		if (argz_add(envz, length, entry)) return ENOMEM;
	}
	return 0;
}

void envz_strip(char **envz, size_t *length)
{
	char *entry = *envz;
	while (entry && entry < *envz + *length) {
		if (strchr(entry, '=')) entry += strlen(entry) + 1;
		else argz_delete(envz, length, entry);
	}
}

char *__argz_next(const char *argz, size_t length, const char *entry) { return argz_next(argz, length, entry); }
size_t __argz_count(const char *argz, size_t length) { return argz_count(argz, length); }
void __argz_stringify(char *argz, size_t length, int separator) { argz_stringify(argz, length, separator); }

/* What argp wants of its surroundings: the last component of a path. */
#include <string.h>

char *__argp_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return (char *)(slash ? slash + 1 : path);
}

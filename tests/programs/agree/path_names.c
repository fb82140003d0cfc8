/* Names of files that come from input: existing ones, prefixes, `.`, `..`, slashes, and none.
 * stdin: 3
 * alphabet: 00 2e 2f 61 62 64 6c 78 */
#include "../agree.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void made(const char *name) { close(open(name, O_WRONLY | O_CREAT, 0644)); }

static int type(const char *name) {
    struct stat status;
    return stat(name, &status) ? -1 : (int)(status.st_mode >> 12);
}

static int operation(unsigned char which, const char *name, int *type_after) {
    int result = 0;
    struct stat status;
    switch (which & 7) {
    case 0:
        result = open(name, O_RDONLY);
        break;
    case 1:
        result = open(name, O_RDWR | O_CREAT, 0600);
        break;
    case 2:
        result = mkdir(name, 0700);
        break;
    case 3:
        result = unlink(name);
        break;
    case 4:
        result = rename("b", name);
        break;
    case 5:
        result = lstat(name, &status) ? -1 : (int)(status.st_mode >> 12);
        break;
    case 6:
        result = chdir(name);
        break;
    default:
        result = access(name, W_OK);
    }
    int error = errno;
    *type_after = type(name);
    return result < 0 ? -error : result > 0 ? 1 : 0;
}

int main(void) {
    unsigned char input[3];
    if (read(0, input, 3) != 3)
        return 1;
    // Nothing is made in the root of the machine that runs this natively.
    if (input[1] == '/' && input[2] && input[2] != '/' && input[2] != '.')
        return 1;
    char directory[] = "/tmp/plat-names-XXXXXX", name[3] = {(char)input[1], (char)input[2], 0};
    if (!mkdtemp(directory) || chdir(directory))
        return 2;
    made("a");
    made("b");
    mkdir("d", 0755);
    made("d/b");
    mkdir("lx", 0755);
    symlink("d", "l");
    symlink("missing", "bl");
    int after, result = operation(input[0], name, &after);
    printf("%d %d\n", result, after);
    fflush(stdout);
    if (chdir(directory) == 0) {
        const char *all[] = {"a", "b", "d/b", "l", "bl", "missing"};
        for (unsigned at = 0; at < sizeof all / sizeof *all; at++)
            unlink(all[at]);
        unlink(name);
        rmdir(name);
        rmdir("d");
        rmdir("lx");
        rmdir(directory);
    }
    return 0;
}

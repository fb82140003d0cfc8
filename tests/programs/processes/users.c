/* Who a process runs as: the superuser becomes somebody else, for a while and for good, in one process and
 * not in the other; whoever runs this as another user is refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what, int result)
{
	if (result < 0) printf("%s: errno %d\n", what, errno);
	else printf("%s: %d\n", what, result);
	uid_t users[3];
	gid_t groups[3];
	getresuid(&users[0], &users[1], &users[2]);
	getresgid(&groups[0], &groups[1], &groups[2]);
	printf("  %d %d %d, %d %d %d; %d %d\n", users[0], users[1], users[2], groups[0], groups[1], groups[2],
		getuid() == users[0] && geteuid() == users[1], getgid() == groups[0] && getegid() == groups[1]);
}

static void opens(const char *what)
{
	int fd = open("plat-test-secret", O_RDONLY);
	printf("%s: %d\n", what, fd < 0 ? errno : 0);
	if (fd >= 0) close(fd);
}

static void for_a_while(void)
{
	show("effective", seteuid(4321));
	opens("as another");
	show("not anybody", seteuid(77));
	show("not for good", setuid(77));
	show("back", seteuid(0));
	opens("as before");
	show("swapped", setreuid(4321, 0));
	show("swapped", setreuid(0, 4321));
	show("swapped", setreuid(-1, 0));
	show("group", setegid(99));
	show("group", setregid(98, -1));
	show("group", setresgid(97, 96, 95));
	show("group", setgid(0));
}

static void for_good(void)
{
	gid_t more[3] = { 30, 20, 10 }, found[4];
	show("groups", setgroups(3, more));
	show("how many", getgroups(0, 0));
	show("too few", getgroups(2, found));
	show("all", getgroups(4, found));
	printf("%d %d %d\n", found[0], found[1], found[2]);
	show("none", setgroups(0, 0));
	show("how many", getgroups(0, 0));
	show("group", setgid(1234));
	show("user", setuid(1234));
	show("no way back", setuid(0));
	show("no way back", seteuid(0));
	show("no way back", setresuid(0, 0, 0));
	show("no way back", setregid(0, 0));
	show("the same", setresuid(-1, 1234, -1));
	show("groups", setgroups(3, more));
	opens("for good");
}

int main(void)
{
	close(open("plat-test-secret", O_CREAT | O_WRONLY, 0600));
	show("at first", 0);
	show("no user", setuid(-1));
	fflush(stdout);
	if (fork() == 0) {
		for_a_while();
		fflush(stdout);
		_exit(0);
	}
	wait(0);
	if (fork() == 0) {
		for_good();
		fflush(stdout);
		_exit(0);
	}
	wait(0);
	show("still", 0);
	opens("still");
	return unlink("plat-test-secret");
}

/* The time of day by its hours, of each function that tells it, and that of a file which is there from the
 * beginning. */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

static void show(const char *what, time_t now)
{
	char text[32];
	strftime(text, sizeof text, "%Y-%m-%d %H", gmtime(&now));
	printf("%s: %s\n", what, text);
}

int main(void)
{
	struct timeval day;
	struct timespec clock, c11;
	struct stat file;
	gettimeofday(&day, NULL);
	clock_gettime(CLOCK_REALTIME, &clock);
	timespec_get(&c11, TIME_UTC);
	show("time", time(NULL));
	show("gettimeofday", day.tv_sec);
	show("clock_gettime", clock.tv_sec);
	show("timespec_get", c11.tv_sec);
	FILE *a = fopen("A", "r");
	int first = a ? getc(a) : -1;
	if (stat("A", &file) == 0)
		show("A", file.st_mtime);
	return first == 'x';
}

/* Runs every argument as SQL in one database in memory and prints the rows.
 * An argument "-" reads SQL from standard input. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static int print_row(void *unused, int count, char **values, char **columns)
{
	(void)unused;
	for (int i = 0; i < count; i++)
		printf("%s%s=%s", i ? "|" : "", columns[i], values[i] ? values[i] : "NULL");
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	static char text[1 << 16];
	sqlite3 *database;
	int failures = 0;
	if (sqlite3_open(":memory:", &database) != SQLITE_OK)
		return 2;
	for (int i = 1; i < argc; i++) {
		const char *sql = argv[i];
		char *error = NULL;
		if (strcmp(sql, "-") == 0) {
			text[fread(text, 1, sizeof text - 1, stdin)] = '\0';
			sql = text;
		}
		if (sqlite3_exec(database, sql, print_row, NULL, &error) != SQLITE_OK) {
			printf("error: %s\n", error);
			sqlite3_free(error);
			failures = 1;
		}
	}
	sqlite3_close(database);
	return failures;
}

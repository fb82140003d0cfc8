/* arguments: --sym-socket 2 --sym-server 2
 * brute: 2
 *
 * A proxy: what its client sends goes to a server, and the answer back, by a process for each client. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in beyond = { .sin_family = AF_INET };

static int relay(int client)
{
	char asked[4], answer[4];
	if (read(client, asked, sizeof asked) != 2) exit(3);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(server, (struct sockaddr *)&beyond, sizeof beyond)) exit(4);
	if (asked[0] == 'Q') { puts("refused"); return 0; }
	if (write(server, asked, 2) != 2 || read(server, answer, sizeof answer) != 2) exit(5);
	if (asked[0] == 'G') fputs("asks, ", stdout);
	if (answer[0] == 'P') puts("gets a page");
	else if (answer[0] < '!') puts("gets nothing");
	else puts("gets an error");
	if (asked[0] == 'G' && answer[0] == '!') return 7;
	write(client, answer, 2);
	/* Nobody is left for a second one. */
	server = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(server, (struct sockaddr *)&beyond, sizeof beyond)) printf("error %d\n", errno == ECONNREFUSED);
	return 0;
}

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(8080) };
	beyond.sin_port = htons(80);
	inet_pton(AF_INET, "198.51.100.7", &beyond.sin_addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0), status;
	if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 5)) return 1;
	int client = accept(fd, NULL, NULL);
	if (client < 0) return 2;
	fflush(stdout);
	if (!fork()) {
		int status = relay(client);
		fflush(stdout);
		_exit(status);
	}
	close(client);
	wait(&status);
	if (WEXITSTATUS(status) == 7) abort(); //~ abort: abort failure
	printf("status %d\n", WIFSIGNALED(status) ? -1 : WEXITSTATUS(status));
	return 0;
}

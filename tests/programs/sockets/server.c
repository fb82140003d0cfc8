/* arguments: --sym-sockets 2 2
 * brute: 2
 *
 * A server that keeps what one client says for the next one, and then waits for more clients. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int kept = -1;

static void serve(int client)
{
	char line[8];
	ssize_t n = recv(client, line, sizeof line, 0);
	if (n < 2) exit(3);
	switch (line[0]) {
	case 'P':
		kept = line[1];
		send(client, "ok\n", 3, 0);
		break;
	case 'G':
		if (kept == '!') abort(); //~ abort: abort failure
		dprintf(client, "%d\n", kept);
		break;
	case 'Q':
		printf("quit %d\n", line[1] == '?');
		exit(0);
	default:
		send(client, "?\n", 2, MSG_NOSIGNAL);
	}
	if (recv(client, line, sizeof line, 0) != 0) exit(4);
	close(client);
}

int main(void)
{
	int on = 1, server = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(7007) }, from;
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 5)) return 1;
	for (int i = 0;; i++) {
		socklen_t size = sizeof from;
		int client = accept(server, (struct sockaddr *)&from, &size);
		if (client < 0) return 2;
		dprintf(1, "client %d from %x:%d\n", i, ntohl(from.sin_addr.s_addr), ntohs(from.sin_port));
		serve(client);
	}
}

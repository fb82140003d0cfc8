/* Everything that a program can ask for and does not get while it goes on: what is counted, at the
 * lines where it is named. Arguments: a large file, a named pipe. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include <utmpx.h>

int brk(void *);
void *sbrk(intptr_t);
void updwtmpx(const char *, const struct utmpx *);
int utmpxname(const char *);


static void handle(int signal)
{
	(void)signal;
}

static void processes(void)
{
	extern char **environ;
	char *arguments[] = {"true", 0};
	pid_t child;
	system("true"); //~ system: clone
	popen("true", "r"); //~ popen: clone
	posix_spawn(&child, "/bin/true", 0, 0, arguments, environ); //~ posix_spawn: clone
	posix_spawnp(&child, "true", 0, 0, arguments, environ); //~ posix_spawnp: clone
	signal(SIGCHLD, handle);
	if (fork() == 0) _exit(1);
	kill(0, SIGURG); //~ system call kill: a group of processes
	wait(0); //~ wait: system call wait4: a handler of SIGCHLD
	execv("/bin/true", arguments); //~ execv: system call execve
	ptrace(PTRACE_TRACEME, 0, 0, 0); //~ system call ptrace
	posix_spawnattr_t attributes;
	posix_spawnattr_init(&attributes);
	struct sched_param parameter = {0};
	int policy;
	posix_spawnattr_getschedparam(&attributes, &parameter); //~ posix_spawnattr_getschedparam
	posix_spawnattr_setschedparam(&attributes, &parameter); //~ posix_spawnattr_setschedparam
	posix_spawnattr_getschedpolicy(&attributes, &policy); //~ posix_spawnattr_getschedpolicy
	posix_spawnattr_setschedpolicy(&attributes, 0); //~ posix_spawnattr_setschedpolicy
	parameter.sched_priority = 1;
	sched_setscheduler(0, SCHED_FIFO, &parameter); //~ system call sched_setscheduler: a policy of real time
}

static void databases(void)
{
	struct utmpx entry = {0};
	struct ether_addr address;
	char host[100];
	struct addrinfo *found;
	getutxent(); //~ getutxent
	getutxid(&entry); //~ getutxid
	getutxline(&entry); //~ getutxline
	pututxline(&entry); //~ pututxline
	updwtmpx("/tmp/wtmp", &entry); //~ updwtmpx
	utmpxname("/tmp/utmp"); //~ utmpxname
	gethostent(); //~ gethostent
	getnetent(); //~ getnetent
	getnetbyname("loopback"); //~ getnetbyname
	getnetbyaddr(0, AF_INET); //~ getnetbyaddr
	ether_line("", &address, host); //~ ether_line
	ether_hostton("host", &address); //~ ether_hostton
	ether_ntohost(host, &address); //~ ether_ntohost
	getaddrinfo("host.invalid", "80", 0, &found); //~ getaddrinfo: system call open: a file that the program was not given
	dlopen("libm.so", RTLD_NOW); //~ dlopen
	dlsym(RTLD_DEFAULT, "sin"); //~ dlsym
	Dl_info info;
	dladdr((void *)&databases, &info); //~ dladdr
}

static void communication(void)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(0xc0000201) };
	socket(AF_NETLINK, SOCK_RAW, 0); //~ system call socket: a raw socket, one for pings, or one of another family
	connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&far, sizeof far); //~ system call connect: an address outside of the program
	int pair[2];
	char beside[32] = {0};
	struct msghdr message = { .msg_control = beside, .msg_controllen = sizeof beside };
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	sendmsg(pair[0], &message, 0); //~ system call sendmsg: ancillary data
	recv(pair[0], beside, 1, MSG_OOB); //~ recv: system call recvfrom: data out of band
	mq_open("/queue", O_RDONLY); //~ system call mq_open
	int segment = shmget(IPC_PRIVATE, 100, 0600);
	shmat(segment, (void *)0x10000, 0); //~ system call shmat: a fixed address
	shmat(segment, 0, SHM_RDONLY); //~ system call shmat: protection
	shmat(segment, 0, 0); //~ system call shmat: a segment that the process has attached already
	shmctl(0, 13, 0); //~ system call shmctl: information on all objects
	semctl(0, 0, 18, 0); //~ system call semctl: information on all objects
	int queue = msgget(IPC_PRIVATE, 0600);
	msgctl(queue, 11, 0); //~ system call msgctl: information on all objects
	msgrcv(queue, beside, 1, 0, 040000 | IPC_NOWAIT); //~ system call msgrcv: MSG_COPY
	inotify_add_watch(1, ".", 1); //~ system call inotify_add_watch
	sem_open("/semaphore", O_CREAT, 0600, 1); //~ sem_open: system call mmap: a shared mapping of a file that can be written
}

static void memory(void)
{
	sbrk(100); //~ sbrk
	brk((char *)sbrk(0) + 100); //~ brk
	char *start = (char *)syscall(SYS_brk, 0);
	syscall(SYS_brk, start + (2 << 20)); //~ system call brk: more than 1 MiB
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(p, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); //~ system call mmap: a fixed address
	mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); //~ system call mmap: protection
	mprotect(p, 4096, PROT_NONE); //~ system call mprotect: protection
	madvise(p, 4096, MADV_DONTNEED); //~ system call madvise: discarding contents
}

static void files(char **argv)
{
	int fd = open("file", O_CREAT | O_RDWR, 0600);
	open(argv[1], O_RDONLY); //~ system call open: a file of the host over the size limit
	open(argv[2], O_RDONLY | O_NONBLOCK); //~ system call open: a device, pipe or socket of the host
	open("/etc/passwd", O_RDONLY); //~ system call open: a file that the program was not given
	open(".", O_TMPFILE | O_RDWR, 0600); //~ system call open: O_TMPFILE
	open("/dev/stdout", O_RDONLY); //~ system call open: standard output or error to be read
	fopen("/proc/self/status", "r"); //~ fopen: system call open: a file below /proc or /sys
	access("/sys/kernel", R_OK); //~ system call access: a file below /proc or /sys
	fcntl(fd, F_NOTIFY, 0); //~ system call fcntl: a command that is not modelled
	fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 100); //~ system call fallocate: a mode
	ioctl(fd, 0x1234, 0); //~ system call ioctl: a request that is not modelled
	renameat2(AT_FDCWD, "file", AT_FDCWD, "other", RENAME_EXCHANGE); //~ system call renameat2: flags other than RENAME_NOREPLACE
	pwrite(fd, "x", 1, 1l << 40); //~ pwrite: system call pwrite64: beyond the limit on a file's size
	int ends[2];
	static char page[4096];
	pipe(ends);
	read(ends[0], page, 1); //~ system call read: an empty pipe
	for (int page_count = 0; page_count < 17; page_count++)
		write(ends[1], page, sizeof page); //~ system call write: a full pipe
	static char piece[1 << 20];
	for (int count = 0; count < 17; count++)
		write(2, piece, sizeof piece); //~ system call write: more than 16 MiB of output
}

static void process(void)
{
	prctl(PR_SET_NAME, "name"); //~ system call prctl: PR_SET_NAME
	prctl(12345); //~ system call prctl: an option that is not modelled
	struct rlimit limit = {1, 1};
	setrlimit(RLIMIT_CPU, &limit); //~ setrlimit: system call prlimit64: a limit other than on open files
	alarm(1); //~ alarm: system call setitimer: a timer
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	processes();
	databases();
	communication();
	memory();
	files(argv);
	process();
	return 0;
}

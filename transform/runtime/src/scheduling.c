/* Policies of scheduling, as the system calls of their names have them. */
#include <sched.h>
#include "syscall.h"

int sched_getparam(pid_t pid, struct sched_param *parameter) { return syscall(SYS_sched_getparam, pid, parameter); }
int sched_setparam(pid_t pid, const struct sched_param *parameter) { return syscall(SYS_sched_setparam, pid, parameter); }
int sched_getscheduler(pid_t pid) { return syscall(SYS_sched_getscheduler, pid); }
int sched_setscheduler(pid_t pid, int policy, const struct sched_param *parameter)
{
	return syscall(SYS_sched_setscheduler, pid, policy, parameter);
}

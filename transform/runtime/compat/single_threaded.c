/* 0 once a thread has been made. */
char __libc_single_threaded = 1;

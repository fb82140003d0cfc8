/* Standard output as the system's library has it on a pipe: fully buffered, in
 * blocks of 4096 bytes, from the first byte on. Under KLEE's names the executor
 * asks for none, since KLEE prints at once. */
#include "stdio_impl.h"

#undef stdout

static unsigned char buf[4096+UNGET];

int __plat_unbuffered;

static size_t first_write(FILE *f, const unsigned char *s, size_t n)
{
	f->mode |= f->mode-1;
	if (__plat_unbuffered && !(f->flags & F_SVB)) f->buf_size = 0;
	f->write = __stdio_write;
	return __stdio_write(f, s, n);
}

/* It has no room at first, so that the first write decides, as every later one
 * that does not fit, how many whole blocks are written at once. */
hidden FILE __stdout_FILE = {
	.buf = buf+UNGET,
	.buf_size = sizeof buf-UNGET,
	.wbase = buf+UNGET,
	.wpos = buf+UNGET,
	.wend = buf+UNGET,
	.fd = 1,
	.flags = F_PERM | F_NORD,
	.lbf = -1,
	.write = first_write,
	.seek = __stdio_seek,
	.close = __stdio_close,
	.lock = -1,
};
FILE *const stdout = &__stdout_FILE;
FILE *volatile __stdout_used = &__stdout_FILE;

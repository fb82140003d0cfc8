/* setvbuf as the system's library has it: what is in the buffer is flushed when
 * another one takes its place, a buffer of the program's is used to its last
 * byte, and the size of one of the library's own is not asked. */
#include "stdio_impl.h"

static unsigned char for_stderr[4096];

int setvbuf(FILE *restrict f, char *restrict buf, int type, size_t size)
{
	if (type != _IONBF && type != _IOLBF && type != _IOFBF) return -1;
	if (type == _IONBF || buf) {
		if (f->wpos != f->wbase) fflush(f);
		/* What is read needs room to be put back. */
		size_t unget = f->flags & F_NORD ? 0 : UNGET;
		if (type == _IONBF || !size) {
			f->buf_size = 0;
		} else if (size >= unget) {
			f->buf = (unsigned char *)buf + unget;
			f->buf_size = size - unget;
		}
		/* No room until the next write. */
		if (f->wend) f->wpos = f->wbase = f->wend = f->buf;
	} else if (f == stderr && !f->buf_size && !(f->flags & F_SVB)) {
		f->buf = for_stderr;
		f->buf_size = sizeof for_stderr;
	}
	f->lbf = type == _IOLBF && f->buf_size ? '\n' : EOF;
	f->flags |= F_SVB;
	return 0;
}

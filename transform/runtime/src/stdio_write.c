/* Writing what does not fit a stream's buffer, as the system's library does it:
 * the buffer and whole blocks behind it are written, and the rest is kept. What
 * is lost when a process ends without flushing is then the same. */
#include <string.h>
#include <sys/uio.h>
#include "stdio_impl.h"

/* How many of the last bytes of a write stay in the buffer. */
static size_t kept(FILE *f, const unsigned char *s, size_t n)
{
	size_t room = f->wend - f->wpos;
	/* Of small buffers only single characters come to stay there. */
	if (n <= room || !f->buf_size || (f->buf_size < 128 && n > 1)) return 0;
	size_t rest = (n - room) % f->buf_size;
	/* A line is written when it is complete. */
	if (f->lbf >= 0)
		for (size_t i = 0; i < rest; i++)
			if (s[n-1-i] == f->lbf) return i;
	return rest;
}

size_t __stdio_write(FILE *f, const unsigned char *s, size_t n)
{
	size_t later = kept(f, s, n), now = n - later;
	struct iovec iovs[2] = {
		{ .iov_base = f->wbase, .iov_len = f->wpos-f->wbase },
		{ .iov_base = (void *)s, .iov_len = now }
	};
	struct iovec *iov = iovs;
	size_t rem = iov[0].iov_len + iov[1].iov_len;
	int count = 2;
	while (rem) {
		ssize_t done = syscall(SYS_writev, f->fd, iov, count);
		if (done < 0) {
			f->wpos = f->wbase = f->wend = 0;
			f->flags |= F_ERR;
			return count == 2 ? 0 : now-iov[0].iov_len;
		}
		rem -= done;
		if (count == 2 && done >= iov[0].iov_len) {
			done -= iov[0].iov_len;
			iov++, count--;
		}
		iov[0].iov_base = (char *)iov[0].iov_base + done;
		iov[0].iov_len -= done;
	}
	f->wend = f->buf + f->buf_size;
	f->wpos = f->wbase = f->buf;
	if (later) {
		memcpy(f->wpos, s + now, later);
		f->wpos += later;
	}
	return n;
}

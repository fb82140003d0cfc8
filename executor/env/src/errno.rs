//! Error numbers of Linux on x86-64.

/// An error number; a system call returns its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Errno(pub u16);

macro_rules! errors {
    ($($name:ident = $number:literal $text:literal)*) => {
        impl Errno {
            $(#[doc = $text] pub const $name: Errno = Errno($number);)*

            /// What the error means, in words.
            pub fn text(self) -> &'static str {
                match self.0 {
                    $($number => $text,)*
                    _ => "Unknown error",
                }
            }
        }
    };
}

errors! {
    EPERM = 1 "Operation not permitted"
    ENOENT = 2 "No such file or directory"
    ESRCH = 3 "No such process"
    EINTR = 4 "Interrupted system call"
    EIO = 5 "Input/output error"
    ENXIO = 6 "No such device or address"
    E2BIG = 7 "Argument list too long"
    EBADF = 9 "Bad file descriptor"
    ECHILD = 10 "No child processes"
    EAGAIN = 11 "Resource temporarily unavailable"
    ENOMEM = 12 "Cannot allocate memory"
    EACCES = 13 "Permission denied"
    EFAULT = 14 "Bad address"
    EBUSY = 16 "Device or resource busy"
    EEXIST = 17 "File exists"
    EXDEV = 18 "Invalid cross-device link"
    ENODEV = 19 "No such device"
    ENOTDIR = 20 "Not a directory"
    EISDIR = 21 "Is a directory"
    EINVAL = 22 "Invalid argument"
    EMFILE = 24 "Too many open files"
    ENOTTY = 25 "Inappropriate ioctl for device"
    EFBIG = 27 "File too large"
    ENOSPC = 28 "No space left on device"
    ESPIPE = 29 "Illegal seek"
    EROFS = 30 "Read-only file system"
    EPIPE = 32 "Broken pipe"
    ERANGE = 34 "Numerical result out of range"
    ENAMETOOLONG = 36 "File name too long"
    ENOSYS = 38 "Function not implemented"
    ENOTEMPTY = 39 "Directory not empty"
    ELOOP = 40 "Too many levels of symbolic links"
    ENOMSG = 42 "No message of desired type"
    EIDRM = 43 "Identifier removed"
    ENODATA = 61 "No data available"
    EOVERFLOW = 75 "Value too large for defined data type"
    ENOTSOCK = 88 "Socket operation on non-socket"
    EDESTADDRREQ = 89 "Destination address required"
    EMSGSIZE = 90 "Message too long"
    ENOPROTOOPT = 92 "Protocol not available"
    EPROTONOSUPPORT = 93 "Protocol not supported"
    ESOCKTNOSUPPORT = 94 "Socket type not supported"
    EOPNOTSUPP = 95 "Operation not supported"
    EAFNOSUPPORT = 97 "Address family not supported by protocol"
    EADDRINUSE = 98 "Address already in use"
    EADDRNOTAVAIL = 99 "Cannot assign requested address"
    EISCONN = 106 "Transport endpoint is already connected"
    ENOTCONN = 107 "Transport endpoint is not connected"
    ETIMEDOUT = 110 "Connection timed out"
    ECONNREFUSED = 111 "Connection refused"
}

impl From<&std::io::Error> for Errno {
    fn from(error: &std::io::Error) -> Errno {
        let number = error
            .raw_os_error()
            .and_then(|number| u16::try_from(number).ok());
        number.map_or(Errno::EIO, Errno)
    }
}

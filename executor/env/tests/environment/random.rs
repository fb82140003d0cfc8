//! Random sequences of calls over a few names and descriptors, so that calls interact.
//!
//! The native side changes real files, so no path leads out of the directory of a sequence (none
//! starts with a slash or with `..`), and the native side uses `chroot` if it may.

use crate::script::{Arg, SystemCall, View};
use fastrand::Rng;
use libc as c;

/// The source of a sequence.
pub struct Random(Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    fn next(&mut self, below: usize) -> usize {
        self.0.usize(..below)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.next(from.len())].clone()
    }

    fn path(&mut self) -> Arg {
        let paths = [
            "a",
            "b",
            "a",
            "b",
            "d",
            "d/x",
            "d/e",
            "d/e/y",
            "n",
            "n/z",
            "d/",
            "./a",
            "d/../b",
            "d/./x",
            "link",
            "dlink",
            "dlink/x",
            "loop",
            "dangling",
            "a/x",
            "",
            "missing/x",
            ".",
            "d/e/..",
            "a/",
            "dlink/",
            "n/",
            "link/",
            "dangling/",
        ];
        Arg::Text(self.pick(&paths).to_string())
    }

    fn fd(&mut self) -> Arg {
        Arg::Int(self.pick(&[0, 1, 3, 3, 3, 4, 4, 5, 6, 7, -1, 99]))
    }

    fn dirfd(&mut self) -> Arg {
        Arg::Int(self.pick(&[c::AT_FDCWD as i64, 3, 4, 5, c::AT_FDCWD as i64]))
    }

    fn int(&mut self, from: &[i64]) -> Arg {
        Arg::Int(self.pick(from))
    }

    fn size(&mut self) -> usize {
        self.pick(&[0, 1, 3, 10, 100, 5000])
    }

    fn data(&mut self) -> Vec<u8> {
        let size = self.size();
        (0..size).map(|_| b'a' + self.next(26) as u8).collect()
    }

    fn flags(&mut self) -> Arg {
        let mut flags = self.pick(&[c::O_RDONLY, c::O_RDWR, c::O_WRONLY, c::O_RDWR]);
        for flag in [
            c::O_CREAT,
            c::O_CREAT,
            c::O_EXCL,
            c::O_TRUNC,
            c::O_APPEND,
            c::O_DIRECTORY,
            c::O_NOFOLLOW,
            c::O_CLOEXEC,
            c::O_NONBLOCK,
            c::O_PATH,
        ] {
            if self.next(8) == 0 {
                flags |= flag;
            }
        }
        // O_CREAT with O_DIRECTORY: differs between kernels.
        if flags & c::O_CREAT != 0 {
            flags &= !c::O_DIRECTORY;
        }
        // O_EXCL without O_CREAT, O_TRUNC without write access: undefined.
        if flags & c::O_CREAT == 0 {
            flags &= !c::O_EXCL;
        }
        if flags & c::O_ACCMODE == c::O_RDONLY {
            flags &= !c::O_TRUNC;
        }
        Arg::Int(flags.into())
    }

    /// The next call.
    pub fn step(&mut self) -> SystemCall {
        let call = |number, args, view| SystemCall { number, args, view };
        let mode = Arg::Int(0o640);
        let zero = Arg::Int(0);
        match self.next(49) {
            0..=4 => call(
                c::SYS_open,
                vec![self.path(), self.flags(), mode],
                View::Nothing,
            ),
            5 => {
                let args = vec![self.dirfd(), self.path(), self.flags(), mode];
                call(c::SYS_openat, args, View::Nothing)
            }
            6 => call(c::SYS_close, vec![self.fd()], View::Nothing),
            7..=8 => {
                let size = self.size();
                let args = vec![self.fd(), Arg::Buffer(vec![7; size]), Arg::Int(size as i64)];
                call(c::SYS_read, args, View::All)
            }
            9..=11 => {
                let data = self.data();
                let args = vec![
                    self.fd(),
                    Arg::Buffer(data.clone()),
                    Arg::Int(data.len() as i64),
                ];
                call(c::SYS_write, args, View::Nothing)
            }
            12 => {
                let pieces = vec![vec![7; self.size()], vec![8; self.size()]];
                call(
                    c::SYS_readv,
                    vec![self.fd(), Arg::Vector(pieces), Arg::Int(2)],
                    View::All,
                )
            }
            13 => {
                let pieces = vec![self.data(), self.data(), self.data()];
                call(
                    c::SYS_writev,
                    vec![self.fd(), Arg::Vector(pieces), Arg::Int(3)],
                    View::Nothing,
                )
            }
            14 => {
                let (size, at) = (self.size(), self.int(&[0, 2, 4095, -1]));
                let args = vec![
                    self.fd(),
                    Arg::Buffer(vec![7; size]),
                    Arg::Int(size as i64),
                    at,
                ];
                call(c::SYS_pread64, args, View::All)
            }
            15 => {
                let (data, at) = (self.data(), self.int(&[0, 2, 4095, 9000, -1]));
                let size = Arg::Int(data.len() as i64);
                let args = vec![self.fd(), Arg::Buffer(data), size, at];
                call(c::SYS_pwrite64, args, View::Nothing)
            }
            16..=17 => {
                let args = vec![
                    self.fd(),
                    self.int(&[0, 0, 1, 5, -3, 5000]),
                    self.int(&[0, 1, 2, 0, 7]),
                ];
                call(c::SYS_lseek, args, View::Nothing)
            }
            18 => call(c::SYS_dup, vec![self.fd()], View::Nothing),
            19 => call(
                c::SYS_dup2,
                vec![self.fd(), self.int(&[3, 4, 9, -1])],
                View::Nothing,
            ),
            20 => self.fcntl(),
            21 => call(
                c::SYS_fstat,
                vec![self.fd(), Arg::Buffer(vec![0; 144])],
                View::Stat,
            ),
            22 => call(
                c::SYS_stat,
                vec![self.path(), Arg::Buffer(vec![0; 144])],
                View::Stat,
            ),
            23 => call(
                c::SYS_lstat,
                vec![self.path(), Arg::Buffer(vec![0; 144])],
                View::Stat,
            ),
            24 => {
                let flags = self.int(&[0, 0x100, 0x1000]);
                let args = vec![self.dirfd(), self.path(), Arg::Buffer(vec![0; 144]), flags];
                call(c::SYS_newfstatat, args, View::Stat)
            }
            25 => {
                let args = vec![self.dirfd(), self.path(), self.int(&[0, 1, 4, 9]), zero];
                call(c::SYS_faccessat2, args, View::Nothing)
            }
            26..=27 => call(
                c::SYS_mkdir,
                vec![self.path(), Arg::Int(0o755)],
                View::Nothing,
            ),
            28 => call(c::SYS_rmdir, vec![self.path()], View::Nothing),
            29 => call(c::SYS_unlink, vec![self.path()], View::Nothing),
            30..=31 => call(c::SYS_rename, vec![self.path(), self.path()], View::Nothing),
            32 => call(c::SYS_link, vec![self.path(), self.path()], View::Nothing),
            33 => call(
                c::SYS_symlink,
                vec![self.path(), self.path()],
                View::Nothing,
            ),
            34 => {
                let size = self.pick(&[1i64, 2, 50]);
                let args = vec![self.path(), Arg::Buffer(vec![0; 50]), Arg::Int(size)];
                call(c::SYS_readlink, args, View::Returned)
            }
            35 => {
                let size = self.int(&[0, 3, 5000, -1]);
                call(c::SYS_truncate, vec![self.path(), size], View::Nothing)
            }
            36 => {
                let size = self.int(&[0, 3, 5000, -1]);
                call(c::SYS_ftruncate, vec![self.fd(), size], View::Nothing)
            }
            37 => {
                let mode = self.int(&[0o600, 0o4755, 0o444]);
                call(c::SYS_chmod, vec![self.path(), mode], View::Nothing)
            }
            38 => {
                let args = vec![self.fd(), Arg::Buffer(vec![0; 4096]), Arg::Int(4096)];
                call(c::SYS_getdents64, args, View::Names)
            }
            39 => call(
                c::SYS_chdir,
                vec![self.pick(&[
                    Arg::Text("d".into()),
                    Arg::Text("a".into()),
                    Arg::Text("n".into()),
                    Arg::Text(".".into()),
                ])],
                View::Nothing,
            ),
            40 => {
                let flags =
                    self.int(&[c::O_NONBLOCK.into(), (c::O_NONBLOCK | c::O_CLOEXEC).into()]);
                call(
                    c::SYS_pipe2,
                    vec![Arg::Buffer(vec![0; 8]), flags],
                    View::All,
                )
            }
            41 => {
                let args = vec![self.dirfd(), self.path(), self.int(&[0, 0x200])];
                call(c::SYS_unlinkat, args, View::Nothing)
            }
            42 => {
                let args = vec![
                    self.fd(),
                    zero.clone(),
                    self.fd(),
                    zero.clone(),
                    Arg::Int(50),
                    zero,
                ];
                call(c::SYS_copy_file_range, args, View::Nothing)
            }
            43 => call(c::SYS_umask, vec![self.int(&[0o22, 0o77])], View::Nothing),
            44 => {
                let pieces = vec![vec![7; self.size()], vec![8; self.size()]];
                let at = self.int(&[0, 2, 4095, -1]);
                let args = vec![self.fd(), Arg::Vector(pieces), Arg::Int(2), at];
                call(c::SYS_preadv, args, View::All)
            }
            45 => {
                let pieces = vec![self.data(), self.data()];
                let at = self.int(&[0, 2, 4095, -1]);
                let args = vec![self.fd(), Arg::Vector(pieces), Arg::Int(2), at];
                call(c::SYS_pwritev, args, View::Nothing)
            }
            46 => {
                let at = self.pick(&[-1i64, 0, 2, 4095]);
                let offset = Arg::Buffer(at.to_le_bytes().to_vec());
                let offset = self.pick(&[zero, offset]);
                let args = vec![self.fd(), self.fd(), offset, self.int(&[0, 1, 50, 5000])];
                call(c::SYS_sendfile, args, View::All)
            }
            47 => {
                let request = self.int(&[0x5413, 0x541b, 0x5451, 0x5401]);
                let args = vec![self.fd(), request, Arg::Buffer(vec![0; 64])];
                call(c::SYS_ioctl, args, View::All)
            }
            _ => {
                let mut bytes = Vec::new();
                for fd in [0, 1, 3, 4, 5] {
                    bytes.extend(i32::to_le_bytes(fd));
                    bytes.extend([5, 0, 0, 0]);
                }
                call(
                    c::SYS_poll,
                    vec![Arg::Buffer(bytes), Arg::Int(5), zero],
                    View::All,
                )
            }
        }
    }

    fn fcntl(&mut self) -> SystemCall {
        let (command, value) = self.pick(&[
            (c::F_DUPFD, 0),
            (c::F_DUPFD, 5),
            (c::F_DUPFD_CLOEXEC, 0),
            (c::F_GETFD, 0),
            (c::F_SETFD, 1),
            (c::F_GETFL, 0),
            (c::F_SETFL, c::O_APPEND | c::O_NONBLOCK),
            (c::F_SETFL, c::O_NONBLOCK),
        ]);
        let args = vec![self.fd(), Arg::Int(command.into()), Arg::Int(value.into())];
        SystemCall {
            number: c::SYS_fcntl,
            args,
            view: View::Nothing,
        }
    }
}

/// The random sequence of a seed.
pub fn sequence(seed: u64, steps: usize) -> Vec<SystemCall> {
    let mut random = Random::new(seed);
    (0..steps).map(|_| random.step()).collect()
}

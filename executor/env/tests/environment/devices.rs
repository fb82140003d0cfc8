//! Devices, memory, time, signals and the process, which the kernel tests do not cover.

use crate::fake::Flat;
use crate::kernel::scratch;
use plat_env::{
    Environment, Host, Inputs, PID, ProcessCall, SysResult, UserMemory as _, system_call,
};
use plat_expr::{Byte, Value};
use tempfile::TempDir;

/// An environment in an empty directory.
pub struct Machine {
    pub env: Environment,
    pub host: Host,
    pub memory: Flat,
    _scratch: TempDir,
}

impl Machine {
    pub fn new(inputs: &Inputs) -> Self {
        let scratch = scratch();
        let mut host = Host::new(scratch.path().to_str().unwrap());
        let env = Environment::new(&mut host, inputs);
        Self {
            env,
            host,
            memory: Flat::new(),
            _scratch: scratch,
        }
    }

    pub fn run(&mut self, number: i64, args: &[u64]) -> SysResult {
        let mut values = [Value::Int(0); 6];
        for (value, &arg) in values.iter_mut().zip(args) {
            *value = Value::Int(arg);
        }
        let memory = &mut self.memory;
        system_call(&mut self.env, &mut self.host, number as u64, values, memory).unwrap()
    }

    pub fn call(&mut self, number: i64, args: &[u64]) -> i64 {
        match self.run(number, args) {
            SysResult::Return(Value::Int(result)) => result as i64,
            other => panic!("call {number} ended with {other:?}"),
        }
    }

    pub fn text(&mut self, text: &str) -> u64 {
        self.memory.buffer(format!("{text}\0").as_bytes())
    }

    pub fn open(&mut self, path: &str, flags: i32) -> i64 {
        let path = self.text(path);
        self.call(libc::SYS_open, &[path, flags as u64, 0o644])
    }

    fn word(&self, address: u64) -> u64 {
        u64::from_le_bytes(self.memory.bytes_at(address, 8).try_into().unwrap())
    }
}

pub fn machine() -> Machine {
    Machine::new(&Inputs::default())
}

#[test]
fn devices() {
    let mut m = machine();
    let buffer = m.memory.buffer(&[1; 16]);
    let null = m.open("/dev/null", libc::O_RDWR) as u64;
    assert_eq!(m.call(libc::SYS_read, &[null, buffer, 16]), 0);
    assert_eq!(m.call(libc::SYS_write, &[null, buffer, 16]), 16);
    let zero = m.open("/dev/zero", libc::O_RDONLY) as u64;
    assert_eq!(m.call(libc::SYS_read, &[zero, buffer, 8]), 8);
    assert_eq!(m.word(buffer), 0);
    assert_eq!(m.open("/dev/tty", libc::O_RDWR), -6);
    assert_eq!(m.open("/proc/self/maps", libc::O_RDONLY), -2);
    assert_eq!(m.open("/sys/kernel", libc::O_RDONLY), -2);
    let sys = m.open("/sys", libc::O_RDONLY) as u64;
    let names = m.memory.buffer(&[0; 64]);
    // Only . and .. are in it, of 24 bytes each.
    assert_eq!(m.call(libc::SYS_getdents64, &[sys, names, 64]), 48);
    // A directory cannot be read, but `readv` does not ask it for nothing.
    assert_eq!(m.call(libc::SYS_read, &[sys, buffer, 0]), -21);
    let nothing = m.memory.buffer(&[0; 16]);
    assert_eq!(m.call(libc::SYS_readv, &[sys, nothing, 1]), 0);
    assert_eq!(m.open("/dev/fd/77", libc::O_RDONLY), -2);
    let stdout = m.open("/dev/stdout", libc::O_WRONLY) as u64;
    let text = m.memory.buffer(b"to stdout");
    assert_eq!(m.call(libc::SYS_write, &[stdout, text, 9]), 9);
    assert_eq!(m.env.stdout.bytes(), b"to stdout".map(Byte::Concrete));
    assert_eq!(m.open("/dev/fd/2", libc::O_RDONLY), -13);
    // Random bytes are the same in every run, and differ from call to call.
    let random = || {
        let mut m = machine();
        let buffer = m.memory.buffer(&[0; 32]);
        let file = m.open("/dev/urandom", libc::O_RDONLY) as u64;
        assert_eq!(m.call(libc::SYS_read, &[file, buffer, 16]), 16);
        assert_eq!(m.call(libc::SYS_getrandom, &[buffer + 16, 16, 0]), 16);
        m.memory.bytes_at(buffer, 32)
    };
    let bytes = random();
    assert_eq!(bytes, random());
    assert_ne!(bytes[..16], bytes[16..]);
}

#[test]
fn memory_from_the_system() {
    let mut m = machine();
    let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    let area = m.call(libc::SYS_mmap, &[0, 5000, 3, anonymous, u64::MAX, 0]);
    assert!(area > 0 && area % 4096 == 0);
    assert_eq!(m.memory.bytes_at(area as u64, 8192), [0; 8192]);
    assert_eq!(m.call(libc::SYS_munmap, &[area as u64, 5000]), 0);
    assert_eq!(
        m.call(libc::SYS_mmap, &[0, 0, 3, anonymous, u64::MAX, 0]),
        -22
    );
    let fixed = anonymous | libc::MAP_FIXED as u64;
    assert_eq!(
        m.call(libc::SYS_mmap, &[0x1000, 1, 3, fixed, u64::MAX, 0]),
        -12
    );
    // A private mapping of a file has its bytes.
    let file = m.open("f", libc::O_RDWR | libc::O_CREAT) as u64;
    let text = m.memory.buffer(b"mapped");
    assert_eq!(m.call(libc::SYS_write, &[file, text, 6]), 6);
    let area = m.call(
        libc::SYS_mmap,
        &[0, 6, 1, libc::MAP_PRIVATE as u64, file, 0],
    ) as u64;
    assert_eq!(m.memory.bytes_at(area, 8), b"mapped\0\0");
    // The break moves within its object; other addresses leave it unchanged.
    let start = m.call(libc::SYS_brk, &[0]) as u64;
    assert_eq!(m.call(libc::SYS_brk, &[start + 100]) as u64, start + 100);
    assert_eq!(m.call(libc::SYS_brk, &[start - 1]) as u64, start + 100);
    assert_eq!(
        m.call(libc::SYS_brk, &[start + (1 << 30)]) as u64,
        start + 100
    );
    assert_eq!(m.call(libc::SYS_brk, &[0]) as u64, start + 100);
}

#[test]
fn time_passes_and_is_the_same_in_every_run() {
    let run = || {
        let mut m = machine();
        let time = m.memory.buffer(&[0; 16]);
        let mut seen = Vec::new();
        for _ in 0..3 {
            assert_eq!(m.call(libc::SYS_clock_gettime, &[0, time]), 0);
            seen.push((m.word(time), m.word(time + 8)));
        }
        let ten = m
            .memory
            .buffer(&[10u64.to_le_bytes(), 5u64.to_le_bytes()].concat());
        assert_eq!(m.call(libc::SYS_nanosleep, &[ten, 0]), 0);
        assert_eq!(m.call(libc::SYS_clock_gettime, &[0, time]), 0);
        seen.push((m.word(time), m.word(time + 8)));
        seen
    };
    let seen = run();
    assert_eq!(seen, run());
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    assert_eq!(seen[3].0, seen[2].0 + 10);
}

#[test]
fn blocked_signals_are_pending() {
    let mut m = machine();
    let raise = |m: &mut Machine, signal| m.run(libc::SYS_tkill, &[PID, signal]);
    let set = m.memory.buffer(&(1u64 << 9).to_le_bytes());
    let action = m
        .memory
        .buffer(&[[0x77, 0, 0, 0, 0, 0, 0, 0], [0; 8], [0; 8], [0; 8]].concat());
    let old = m.memory.buffer(&[0; 32]);
    // SIGUSR1 is 10: by default it ends the program.
    let SysResult::Signal(delivery) = raise(&mut m, 10) else {
        panic!("nothing was delivered")
    };
    assert_eq!((delivery.signal, delivery.handler), (10, None));
    assert_eq!(m.call(libc::SYS_rt_sigaction, &[10, action, 0, 8]), 0);
    assert_eq!(m.call(libc::SYS_rt_sigaction, &[10, 0, old, 8]), 0);
    assert_eq!(m.word(old), 0x77);
    assert_eq!(m.call(libc::SYS_rt_sigprocmask, &[0, set, old, 8]), 0);
    assert_eq!(m.word(old), 0);
    assert_eq!(raise(&mut m, 10), SysResult::Return(Value::Int(0)));
    assert_eq!(m.call(libc::SYS_rt_sigpending, &[old, 8]), 0);
    assert_eq!(m.word(old), 1 << 9);
    let unblocked = m.run(libc::SYS_rt_sigprocmask, &[1, set, 0, 8]);
    let SysResult::Signal(delivery) = unblocked else {
        panic!("the signal was lost")
    };
    assert_eq!(
        (delivery.signal, delivery.handler),
        (10, Some(Value::Int(0x77)))
    );
    assert_eq!(m.call(libc::SYS_rt_sigprocmask, &[1, set, 0, 8]), 0);
    // SIGCHLD is ignored by default; SIGKILL cannot be caught; other processes do not exist.
    assert_eq!(raise(&mut m, 17), SysResult::Return(Value::Int(0)));
    assert_eq!(m.call(libc::SYS_rt_sigaction, &[9, action, 0, 8]), -22);
    assert_eq!(m.call(libc::SYS_kill, &[4242, 10]), -3);
    assert_eq!(m.call(libc::SYS_kill, &[PID, 0]), 0);
}

#[test]
fn the_process() {
    let mut m = machine();
    assert_eq!(m.run(libc::SYS_exit_group, &[0x103]), SysResult::Exit(3));
    let fork = SysResult::Process(ProcessCall::Fork);
    assert_eq!(m.run(libc::SYS_fork, &[]), fork);
    assert_eq!(m.run(libc::SYS_ptrace, &[]), SysResult::Unsupported);
    assert_eq!(m.run(9999, &[]), SysResult::Unsupported);
    assert_eq!(m.call(libc::SYS_getpid, &[]) as u64, PID);
    let names = m.memory.buffer(&[0; 390]);
    assert_eq!(m.call(libc::SYS_uname, &[names]), 0);
    assert_eq!(m.memory.bytes_at(names, 6), b"Linux\0");
    assert_eq!(m.memory.bytes_at(names + 4 * 65, 7), b"x86_64\0");
    let limit = m
        .memory
        .buffer(&[20u64.to_le_bytes(), 1024u64.to_le_bytes()].concat());
    let old = m.memory.buffer(&[0; 16]);
    assert_eq!(m.call(libc::SYS_prlimit64, &[0, 7, limit, old]), 0);
    assert_eq!((m.word(old), m.word(old + 8)), (1024, 1024));
    let opened = (0..30)
        .map(|_| m.open(".", libc::O_RDONLY))
        .filter(|&fd| fd >= 0)
        .count();
    assert_eq!((opened, m.open(".", libc::O_RDONLY)), (17, -24));
    let path = m.memory.buffer(&[0; 4096]);
    let size = m.call(libc::SYS_getcwd, &[path, 4096]);
    let directory = m.memory.bytes_at(path, size as u64);
    assert_eq!(directory, [m.host.start_directory(), b"\0"].concat());
    assert_eq!(m.call(libc::SYS_getcwd, &[path, 3]), -34);
}

#[test]
fn forks_of_an_environment_are_independent() {
    let mut m = machine();
    let file = m.open("f", libc::O_RDWR | libc::O_CREAT) as u64;
    let text = m.memory.buffer(b"common first second");
    let both = [libc::SYS_write, libc::SYS_write];
    for (fd, number) in [file, 1].into_iter().zip(both) {
        assert_eq!(m.call(number, &[fd, text, 7]), 7);
    }
    let other = m.env.clone();
    m.call(libc::SYS_write, &[file, text + 7, 6]);
    m.call(libc::SYS_write, &[1, text + 7, 6]);
    let first = std::mem::replace(&mut m.env, other);
    m.call(libc::SYS_write, &[file, text + 13, 6]);
    m.call(libc::SYS_write, &[1, text + 13, 6]);
    let contents = |m: &mut Machine| {
        let buffer = m.memory.buffer(&[0; 20]);
        m.call(libc::SYS_lseek, &[file, 0, 0]);
        let size = m.call(libc::SYS_read, &[file, buffer, 20]);
        (m.memory.bytes_at(buffer, size as u64), m.env.stdout.bytes())
    };
    let expect = |text: &[u8]| {
        (
            text.to_vec(),
            text.iter()
                .map(|&byte| Byte::Concrete(byte))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(contents(&mut m), expect(b"common second"));
    m.env = first;
    assert_eq!(contents(&mut m), expect(b"common first "));
    assert_eq!(m.memory.pool().len(), plat_expr::Pool::new().len());
}

//! Atomic writing of files.

use std::io::{self, Write as _};
use std::path::Path;

/// The name that stands for standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// Writes a file atomically: under a temporary name in the same directory, which is then renamed.
/// `-` is standard output. Devices and pipes are written directly; links are followed.
///
/// # Errors
/// When it cannot be written; the temporary file is removed.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    if path.as_os_str() == STANDARD_OUTPUT {
        let mut out = io::stdout().lock();
        return out.write_all(contents).and_then(|()| out.flush());
    }
    if std::fs::metadata(path).is_ok_and(|target| !target.is_file()) {
        return std::fs::write(path, contents);
    }
    // A new file has no canonical path yet.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let name = format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id());
    let temporary = path.with_file_name(name);
    let written =
        std::fs::write(&temporary, contents).and_then(|()| std::fs::rename(&temporary, path));
    written.inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileTypeExt;
    use std::process::Command;

    #[test]
    fn a_link_stays_a_link() {
        let directory = tempfile::tempdir().expect("a directory");
        let [file, link] = ["file", "link"].map(|name| directory.path().join(name));
        std::fs::write(&file, b"old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_whole(&link, b"new").expect("written");
        assert_eq!(std::fs::read_link(&link).expect("still a link"), file);
        assert_eq!(std::fs::read(&file).expect("read"), b"new");
    }

    #[test]
    fn a_pipe_stays_a_pipe() {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || std::fs::read(pipe))
        };
        write_whole(&pipe, b"through").expect("written");
        assert_eq!(reader.join().expect("read").expect("read"), b"through");
        let kind = std::fs::metadata(&pipe).expect("still there").file_type();
        assert!(kind.is_fifo());
    }
}

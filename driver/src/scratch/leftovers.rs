//! What killed processes have left in the temporary directory.
//!
//! The owner of a scratch directory holds a lock on a file in it, which the system takes back when
//! the process ends, however it ends. The number of the process would not do: numbers come again, and
//! mean nothing to another container with the same temporary directory.

use rustix::fs::OFlags;
use rustix::process::geteuid;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;

/// The file that is locked.
const LOCK: &str = ".lock";

/// A directory without a lock is just being made, unless it is older.
const YOUNG: Duration = Duration::from_secs(3600);

/// The name of a scratch directory.
pub fn name(process: u32, number: u32) -> String {
    format!("plat-{process}-{number}")
}

fn is_name(text: &str) -> bool {
    let numbers = text
        .strip_prefix("plat-")
        .and_then(|rest| rest.split_once('-'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Locks a directory that was just made, for as long as the file is open; none if another process
/// took it for a leftover meanwhile.
///
/// # Errors
/// When the system refuses.
pub fn claim(directory: &Path) -> io::Result<Option<File>> {
    let path = directory.join(LOCK);
    let lock = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(lock) => lock,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        Err(fs::TryLockError::Error(why)) => return Err(why),
    }
    let (ours, there) = (lock.metadata()?, fs::symlink_metadata(&path));
    let same = there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()));
    Ok(same.then_some(lock))
}

/// Removes the scratch directories of this user whose owners have ended. Whatever goes wrong, the next
/// process tries again.
pub fn remove(base: &Path) {
    let user = geteuid().as_raw();
    // Where everybody may rename everything, a name says nothing a moment later.
    let safe = |mode: u32| mode & 0o002 == 0 || mode & 0o1000 != 0;
    if !fs::metadata(base).is_ok_and(|base| safe(base.mode())) {
        return;
    }
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(is_name) {
            continue;
        }
        let path = entry.path();
        // Of a link, this is the link's.
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() && found.uid() == user => remove_if_left(&path, &found),
            _ => {}
        }
    }
}

fn remove_if_left(path: &Path, found: &fs::Metadata) {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let lock = OpenOptions::new()
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path.join(LOCK));
    match lock {
        Ok(lock) if lock.try_lock().is_ok() => {
            let _ = fs::remove_dir_all(path);
        }
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            let age = found.modified().ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > YOUNG) {
                // Only an empty one goes.
                let _ = fs::remove_dir(path);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::{Instant, SystemTime};

    /// A process that another test starts meanwhile has the lock too, until it executes its program.
    fn goes(path: &Path, base: &Path) -> bool {
        let until = Instant::now() + Duration::from_secs(20);
        while path.exists() && Instant::now() < until {
            remove(base);
            std::thread::sleep(Duration::from_millis(5));
        }
        !path.exists()
    }

    #[test]
    fn what_an_ended_process_has_left_goes() {
        let base = tempfile::tempdir().expect("a directory");
        let base = base.path();
        let (left, used) = (base.join(name(1, 0)), base.join(name(2, 0)));
        for path in [&left, &used] {
            fs::create_dir(path).expect("a directory");
            fs::write(path.join("linked.bc"), "contents").expect("a file");
        }
        drop(claim(&left).expect("no error").expect("a lock"));
        let lock = claim(&used).expect("no error").expect("a lock");
        assert!(goes(&left, base));
        assert!(used.join("linked.bc").exists());
        drop(lock);
        assert!(goes(&used, base));
    }

    #[test]
    fn what_is_not_a_leftover_stays() {
        let base = tempfile::tempdir().expect("a directory");
        let base = base.path();
        let target = base.join("target");
        fs::create_dir(&target).expect("a directory");
        fs::write(target.join(LOCK), "").expect("a file");
        symlink(&target, base.join(name(1, 0))).expect("a link");
        // A lock that is a link: nothing is opened behind it.
        let linked = base.join(name(2, 0));
        fs::create_dir(&linked).expect("a directory");
        symlink(target.join(LOCK), linked.join(LOCK)).expect("a link");
        fs::write(base.join(name(3, 0)), "a file").expect("a file");
        let fresh = base.join(name(4, 0));
        fs::create_dir(&fresh).expect("a directory");
        let old = base.join(name(5, 0));
        fs::create_dir(&old).expect("a directory");
        let hours_ago = SystemTime::now() - 3 * YOUNG;
        let directory = File::open(&old).expect("a directory");
        directory.set_modified(hours_ago).expect("a time");
        for other in ["plat-1", "plat-x-0", "plat-1-0-0", "plat-1-"] {
            fs::create_dir(base.join(other)).expect("a directory");
            fs::write(base.join(other).join(LOCK), "").expect("a file");
        }
        fs::set_permissions(base, fs::Permissions::from_mode(0o777)).expect("a mode");
        remove(base);
        assert!(old.exists(), "everybody can rename it");
        fs::set_permissions(base, fs::Permissions::from_mode(0o755)).expect("a mode");
        remove(base);
        assert!(!old.exists());
        let left = fs::read_dir(base).expect("a directory").count();
        assert_eq!(left, 9);
        assert!(target.join(LOCK).exists());
    }
}

//! Private layers: directories in which a program sees what is there, and changes it for itself alone.
//!
//! In a mount namespace of its own an overlay is mounted over each such directory; what the program
//! writes is kept in memory and goes with the program. What it writes below certain directories stays:
//! these are mounted where they are once more, above the overlay. Where the system allows no mounts
//! all directories stay as they are, and Landlock refuses changes.

use crate::Room;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The most memory for changes.
const MOST: &std::ffi::CStr = c"size=1g";

/// A directory with what the system needs to put a layer over it.
#[derive(Clone, Debug)]
struct Layer {
    directory: PathBuf,
    mounted_on: CString,
    options: CString,
    /// Where changes are kept, and where the system prepares them.
    kept: [CString; 2],
    /// The permissions of the directory.
    mode: u32,
}

/// A directory that is seen through the layers.
#[derive(Clone, Debug)]
struct Window {
    path: CString,
    /// Its mount, which is nowhere yet, as a descriptor.
    mount: libc::c_int,
}

/// The layers of one program, ready to be put: paths are made here, as that is done in a child process.
#[derive(Clone, Debug)]
pub struct Layers {
    memory: CString,
    layers: Vec<Layer>,
    windows: Vec<Window>,
    work: CString,
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

impl Layers {
    /// The layers of a room.
    ///
    /// # Errors
    /// When a path has a zero byte.
    pub fn new(room: &Room) -> io::Result<Self> {
        let layer = |(at, directory): (usize, &PathBuf)| -> io::Result<Layer> {
            let (upper, work) = (
                room.layer.join(format!("u{at}")),
                room.layer.join(format!("w{at}")),
            );
            let path = |path: &Path| escaped(path.as_os_str().as_bytes());
            let options = [
                &b"lowerdir="[..],
                &path(directory),
                b",upperdir=",
                &path(&upper),
                b",workdir=",
                &path(&work),
            ];
            Ok(Layer {
                directory: directory.clone(),
                mounted_on: text(directory)?,
                options: CString::new(options.concat())?,
                kept: [text(&upper)?, text(&work)?],
                mode: std::fs::metadata(directory)?.mode() & 0o7777,
            })
        };
        let window = |path: &PathBuf| -> io::Result<Window> {
            let (path, mount) = (text(path)?, -1);
            Ok(Window { path, mount })
        };
        Ok(Layers {
            memory: text(&room.layer)?,
            layers: room
                .private
                .iter()
                .enumerate()
                .map(layer)
                .collect::<Result<_, _>>()?,
            windows: room.kept.iter().map(window).collect::<Result<_, _>>()?,
            work: text(&room.work)?,
        })
    }

    /// Puts the layers, in a child that is about to become the program; the directories that have one
    /// now. Nothing is done where the system refuses.
    ///
    /// # Errors
    /// When a directory whose changes are to stay cannot be seen any more.
    pub fn put(&mut self) -> io::Result<impl Iterator<Item = &Path>> {
        let put = match self.layers.is_empty() || self.prepare().is_err() {
            true => 0,
            false => self
                .layers
                .iter()
                .take_while(|layer| layer.mount().is_ok())
                .count(),
        };
        if put > 0 {
            self.windows.iter().try_for_each(Window::open)?;
        }
        // The directory that it is in lies below the layer that has just been put.
        // SAFETY: the path is a string.
        let _ = unsafe { libc::chdir(self.work.as_ptr()) };
        let layers = self.layers[..put].iter();
        Ok(layers.map(|layer| layer.directory.as_path()))
    }

    /// A mount namespace, with memory for the changes, and what is to be seen through the layers.
    fn prepare(&mut self) -> io::Result<()> {
        let private = libc::MS_REC | libc::MS_PRIVATE;
        // SAFETY: the arguments are strings or null where the calls allow it.
        unsafe {
            checked(libc::unshare(libc::CLONE_NEWNS))?;
            let (none, root) = (std::ptr::null(), c"/".as_ptr());
            checked(libc::mount(none, root, none, private, none.cast()))?;
            let (memory, flags) = (c"tmpfs".as_ptr(), libc::MS_NOSUID | libc::MS_NODEV);
            let size = MOST.as_ptr();
            checked(libc::mount(
                memory,
                self.memory.as_ptr(),
                memory,
                flags,
                size.cast(),
            ))?;
        }
        self.windows.iter_mut().try_for_each(Window::take)
    }
}

impl Window {
    /// Takes the directory as it is below the layers.
    fn take(&mut self) -> io::Result<()> {
        let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
        let (path, at) = (self.path.as_ptr(), libc::AT_FDCWD);
        // SAFETY: the path is a string.
        let mount = unsafe { libc::syscall(libc::SYS_open_tree, at, path, flags) };
        self.mount = mount as libc::c_int;
        checked(self.mount.min(0))
    }

    /// Puts it where it was.
    fn open(&self) -> io::Result<()> {
        let (path, at) = (self.path.as_ptr(), libc::AT_FDCWD);
        let (none, flags) = (c"".as_ptr(), libc::MOVE_MOUNT_F_EMPTY_PATH);
        // SAFETY: the paths are strings; the descriptor is one of a mount.
        let moved =
            unsafe { libc::syscall(libc::SYS_move_mount, self.mount, none, at, path, flags) };
        checked(moved as i32)
    }
}

impl Layer {
    fn mount(&self) -> io::Result<()> {
        let overlay = c"overlay".as_ptr();
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
        // SAFETY: the arguments are strings.
        unsafe {
            for directory in &self.kept {
                checked(libc::mkdir(directory.as_ptr(), 0o700))?;
                checked(libc::chmod(directory.as_ptr(), self.mode))?;
            }
            let options = self.options.as_ptr().cast();
            checked(libc::mount(
                overlay,
                self.mounted_on.as_ptr(),
                overlay,
                flags,
                options,
            ))?;
        }
        Ok(())
    }
}

/// A path among the options of an overlay, in which some characters have a meaning.
fn escaped(path: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| matches!(byte, b'\\' | b',' | b':');
    path.iter()
        .flat_map(|byte| [special(byte).then_some(b'\\'), Some(*byte)])
        .flatten()
        .collect()
}

fn checked(result: i32) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_separates_options_is_escaped() {
        assert_eq!(escaped(b"/tmp/a,b:c\\d"), b"/tmp/a\\,b\\:c\\\\d");
    }
}

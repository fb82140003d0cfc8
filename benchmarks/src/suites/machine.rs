//! What a measurement was made on: the machine and plat.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::process::Command;

/// Facts about the machine and the plat of a measurement.
#[derive(Serialize, Deserialize, Clone, PartialEq, Default, Debug)]
pub struct Machine {
    /// The processor's name, and its family and model, by which it is known to compilers.
    pub cpu: String,
    pub family: String,
    /// Processors that may be used.
    pub cores: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// The name and release of the kernel.
    pub kernel: String,
    /// What plat says of itself, and the first digits of the digest of its executable.
    pub plat: String,
    pub digest: String,
    /// The commit of the checkout whose suites these are, with `+` if files differ from it.
    pub commit: String,
}

impl Machine {
    /// This machine with this plat.
    ///
    /// # Errors
    /// When plat cannot be read or run.
    pub fn with(plat: &Path) -> Result<Self, String> {
        let digest = digest(plat)?;
        let version = said(Command::new(plat).arg("--version"))
            .ok_or_else(|| format!("cannot run {}", plat.display()))?;
        Ok(Self {
            plat: version,
            digest: digest[..12].to_owned(),
            commit: commit(),
            ..Self::here()
        })
    }

    /// This machine.
    pub fn here() -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let entry = |name: &str| entry(&info, name).unwrap_or("unknown").to_owned();
        let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let memory =
            self::entry(&memory, "MemTotal").and_then(|text| text.split(' ').next()?.parse().ok());
        let uname = rustix::system::uname();
        Self {
            cpu: entry("model name"),
            family: format!(
                "{} {} {}",
                entry("vendor_id"),
                entry("cpu family"),
                entry("model")
            ),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory.map_or(0, |kibibytes: u64| kibibytes * 1024),
            kernel: format!(
                "{} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy()
            ),
            ..Self::default()
        }
    }

    /// In one line.
    pub fn shown(&self) -> String {
        format!("{}; {}", self.hardware(), self.software())
    }

    /// The machine alone.
    pub fn hardware(&self) -> String {
        let gibibytes = self.memory as f64 / f64::from(1 << 30);
        format!(
            "{} ({}), {} cores, {gibibytes:.0} GiB, {}",
            self.cpu, self.family, self.cores, self.kernel
        )
    }

    /// plat alone.
    pub fn software(&self) -> String {
        format!("{} at {}", self.plat, self.commit)
    }
}

/// The value of the first line `name : value`.
fn entry<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(key, _)| key.trim() == name)?;
    Some(value.trim())
}

/// What a command prints, if it ends well.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn commit() -> String {
    let git = |words: &[&str]| {
        said(
            Command::new("git")
                .args(["-C", env!("CARGO_MANIFEST_DIR")])
                .args(words),
        )
    };
    let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) else {
        return "no commit".to_owned();
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let changed = changed.is_none_or(|changes| !changes.is_empty());
    format!("{commit}{}", if changed { "+" } else { "" })
}

/// The digest of a file.
///
/// # Errors
/// When it cannot be read.
pub fn digest(file: &Path) -> Result<String, String> {
    let wrong = |why| format!("{}: {why}", file.display());
    let mut hash = Sha256::new();
    std::io::copy(&mut std::fs::File::open(file).map_err(wrong)?, &mut hash).map_err(wrong)?;
    Ok(hex(&hash.finalize()))
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        let machine = Machine::here();
        assert!(machine.cores > 0 && machine.memory > 1 << 20, "{machine:?}");
        assert!(machine.kernel.starts_with("Linux "), "{machine:?}");
        assert_eq!(entry("a : 1\nb\t: two words\n", "b"), Some("two words"));
    }
}

//! Rust in a build: the bitcode of a program with all of its crates and the standard library.
//!
//! Cargo calls its compiler through the program that `RUSTC_WRAPPER` names: the [wrapper]. That compiles
//! each crate as it is asked to, but leaves bitcode in libraries where cargo would not, and then links
//! each program once more with link-time optimisation over all crates, whose one module is the bitcode.
//! Bodies of the standard library come from the bitcode that its own libraries have.
//!
//! [wrapper]: super::wrapper

use super::wrapper::{failed, note, place, status};
use super::{VARIABLE, tools};
use crate::Error;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name by which cargo calls the wrapper.
pub(super) const NAME: &str = "plat-rustc";

/// The variable by which cargo is told of a wrapper, and the one that keeps what it was.
const WRAPPER: &str = "RUSTC_WRAPPER";
const WRAPPER_BEFORE: &str = "PLAT_BUILD_RUSTC_WRAPPER";

/// Where cargo builds if it is the build command. What it has built elsewhere, without bitcode in its
/// libraries, would be taken for up to date.
const TARGET: &str = "target/plat";

/// How programs are compiled the second time: as plat wants them.
const FLAGS: &[&str] = &[
    "-Clto=fat",
    "-Ccodegen-units=1",
    "-Copt-level=1",
    "-Cdebuginfo=2",
    "-Cno-vectorize-loops",
    "-Cno-vectorize-slp",
    "-Csave-temps",
    // The module is all that is wanted.
    "-Clinker=true",
    "--emit=link",
    "--cap-lints=allow",
];

/// Options of code generation that the second compilation has for itself.
const REPLACED: &[&str] = &[
    "lto",
    "codegen-units",
    "opt-level",
    "debuginfo",
    "linker",
    "linker-plugin-lto",
    "incremental",
    "strip",
    "target-cpu",
    "split-debuginfo",
];

/// The directory that cargo is told to build in.
pub(super) fn target(command: &[OsString]) -> Option<PathBuf> {
    let mut words = command.iter();
    let said = words.find_map(|word| {
        let text = word.to_str()?.strip_prefix("--target-dir")?;
        Some(text.strip_prefix('=').map(OsString::from))
    });
    let said = said.and_then(|same| same.or_else(|| words.next().cloned()));
    let said = said.or_else(|| std::env::var_os("CARGO_TARGET_DIR"));
    said.filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Lets cargo, wherever the build calls it, call the wrapper.
pub(super) fn prepare(build: &mut Command, command: &[OsString], directory: &Path, names: &Path) {
    if let Some(before) = std::env::var_os(WRAPPER) {
        build.env(WRAPPER_BEFORE, before);
    }
    build.env(WRAPPER, names.join(NAME));
    let name = command.first().map(Path::new).and_then(Path::file_name);
    if name == Some(OsStr::new("cargo")) && target(command).is_none() {
        build.env("CARGO_TARGET_DIR", directory.join(TARGET));
    }
}

/// Does what the compiler (the first word) is asked to, and makes bitcode if that is a program. Returns
/// the compiler's exit code.
///
/// # Errors
/// When the compiler cannot be started.
pub(super) fn run(words: &[OsString]) -> Result<i32, Error> {
    let Some((compiler, args)) = words.split_first() else {
        return Err(Error::input(format!(
            "{NAME}: cargo calls it, with a compiler"
        )));
    };
    let args = options(args);
    let mut first = match std::env::var_os(WRAPPER_BEFORE).filter(|before| !before.is_empty()) {
        Some(before) => {
            let mut first = Command::new(before);
            first.arg(compiler);
            first
        }
        None => Command::new(compiler),
    };
    let code = status(first.args(args.iter().filter(|arg| !is_codegen(arg, "embed-bitcode"))))?;
    if let Some(program) = Program::of(&args).filter(|_| code == 0) {
        program.make(compiler, &args)?;
    }
    Ok(code)
}

/// The options, with a value in the same word as its option, and those of files in the files' place.
fn options(args: &[OsString]) -> Vec<OsString> {
    let mut words = Vec::new();
    for arg in args {
        let text = arg.to_str().unwrap_or_default();
        let file = text.strip_prefix('@').map(fs::read_to_string);
        match file {
            Some(Ok(lines)) => words.extend(lines.lines().map(OsString::from)),
            _ => words.push(arg.clone()),
        }
    }
    let mut options = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let joined = match word.to_str() {
            Some("-C" | "--codegen") => "-C",
            Some("--emit") => "--emit=",
            Some("--out-dir") => "--out-dir=",
            Some("--crate-name") => "--crate-name=",
            Some("--crate-type") => "--crate-type=",
            _ => {
                options.push(word);
                continue;
            }
        };
        let mut option = OsString::from(joined);
        option.push(rest.next().unwrap_or_default());
        options.push(option);
    }
    options
}

/// Whether it is the option of code generation with this name.
fn is_codegen(option: &OsStr, name: &str) -> bool {
    let text = option.to_str().unwrap_or_default();
    let text = text
        .strip_prefix("-C")
        .or_else(|| text.strip_prefix("--codegen="));
    text.and_then(|text| text.split('=').next()) == Some(name)
}

/// A program that is compiled.
struct Program {
    /// The name of its crate.
    name: String,
    /// The executable.
    executable: PathBuf,
    /// Whether overflows and the like are checked, as they are without optimisation if nothing is said.
    checked: bool,
}

impl Program {
    /// The program that is made; none for a library, a build script, or a question to the compiler.
    fn of(options: &[OsString]) -> Option<Program> {
        let texts: Vec<&str> = options
            .iter()
            .filter_map(|option| option.to_str())
            .collect();
        let value = |name: &str| texts.iter().find_map(|text| text.strip_prefix(name));
        let is_program = texts.contains(&"--test") || texts.contains(&"--crate-type=bin");
        let links =
            value("--emit=").is_none_or(|kinds| kinds.split(',').any(|kind| kind == "link"));
        let name = value("--crate-name=").filter(|name| !name.starts_with("build_script_"))?;
        let asks = value("--print").is_some();
        let executable = match texts.iter().position(|&text| text == "-o") {
            Some(at) => PathBuf::from(texts.get(at + 1)?),
            None => {
                let ending = value("-Cextra-filename=").unwrap_or_default();
                Path::new(value("--out-dir=")?).join(format!("{name}{ending}"))
            }
        };
        let optimises =
            value("-Copt-level=").is_some_and(|level| level != "0") || texts.contains(&"-O");
        let says = value("-Cdebug-assertions").is_some();
        (is_program && links && !asks).then(|| Program {
            name: name.to_string(),
            executable,
            checked: !optimises && !says,
        })
    }

    /// Makes the bitcode, and notes its name in the executable.
    fn make(&self, compiler: &OsStr, options: &[OsString]) -> Result<(), Error> {
        let room = PathBuf::from(std::env::var_os(VARIABLE).unwrap_or_default());
        let here = std::env::current_dir().unwrap_or_default();
        let bitcode = place(&room, &here, &self.executable, Path::new(&self.name));
        let parts = bitcode.with_extension("parts");
        let wrong = |why: std::io::Error| Error::input(format!("{}: {why}", parts.display()));
        fs::create_dir_all(&parts).map_err(wrong)?;
        let mut again = Command::new(compiler);
        again.args(options.iter().filter(|option| is_kept(option)));
        if self.checked {
            again.arg("-Cdebug-assertions=on");
        }
        again.args(FLAGS).arg("-o").arg(parts.join(&self.name));
        let made = match tools::outcome(&mut again)? {
            Ok(()) => module(&parts).ok_or_else(|| "the compiler left no module".to_string()),
            Err(why) => Err(why),
        };
        let moved = made.map(|module| fs::rename(module, &bitcode).map_err(wrong));
        let _ = fs::remove_dir_all(&parts);
        match moved {
            Ok(moved) => {
                moved?;
                note(&room, &self.executable, &super::wrapper::line(&bitcode))
            }
            Err(why) => {
                failed(&room, &format!("{}: {why}", self.executable.display()));
                Ok(())
            }
        }
    }
}

/// Whether an option is for the second compilation as well.
fn is_kept(option: &OsStr) -> bool {
    let text = option.to_str().unwrap_or_default();
    let mut of_output = ["--emit=", "--out-dir=", "--error-format", "--json"].iter();
    let replaced = REPLACED.iter().chain(&["embed-bitcode", "extra-filename"]);
    !of_output.any(|start| text.starts_with(start))
        && !replaced.into_iter().any(|name| is_codegen(option, name))
}

/// The module behind link-time optimisation, among those that the compiler leaves.
fn module(parts: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(parts).ok()?.flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.find(|path| path.to_string_lossy().ends_with("-cgu.0.rcgu.bc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        options(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn programs_are_told_from_libraries() {
        let dev = "--crate-name calc src/main.rs --crate-type bin --emit=dep-info,link -C embed-bitcode=no \
                   -C extra-filename=-12 --out-dir target/deps";
        let program = Program::of(&words(dev)).expect("a program");
        assert_eq!(program.executable, Path::new("target/deps/calc-12"));
        assert!(program.checked);
        let release = dev.to_string() + " -C opt-level=3";
        assert!(!Program::of(&words(&release)).expect("a program").checked);
        let said = dev.to_string() + " -C debug-assertions=off";
        assert!(!Program::of(&words(&said)).expect("a program").checked);
        for other in [
            "--crate-name calc src/lib.rs --crate-type lib --emit=link --out-dir target",
            "--crate-name build_script_build build.rs --crate-type bin --emit=link --out-dir target",
            "--crate-name calc src/main.rs --crate-type bin --emit=metadata --out-dir target",
            "--crate-name ___ --print=file-names --crate-type bin --out-dir target",
            "-vV",
        ] {
            assert!(Program::of(&words(other)).is_none(), "{other}");
        }
        let test = "--crate-name calc src/lib.rs --test --emit=link --out-dir target";
        assert!(Program::of(&words(test)).is_some());
    }

    #[test]
    fn cargo_may_be_told_where_to_build() {
        let of = |line: &str| target(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let there = Some(PathBuf::from("there"));
        assert_eq!(of("cargo build --target-dir there -q"), there);
        assert_eq!(of("cargo build --target-dir=there"), there);
    }

    #[test]
    fn what_a_program_means_is_kept() {
        let line = "--edition=2024 -C opt-level=3 -C panic=abort --cfg x -C target-cpu=native -Clto \
                    --codegen embed-bitcode=no --emit link --extern a=liba.rlib";
        let kept: Vec<OsString> = words(line)
            .into_iter()
            .filter(|option| is_kept(option))
            .collect();
        let expected = [
            "--edition=2024",
            "-Cpanic=abort",
            "--cfg",
            "x",
            "--extern",
            "a=liba.rlib",
        ];
        assert_eq!(kept, expected);
    }
}

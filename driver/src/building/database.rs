//! Whole-program bitcode of a project that has only a `compile_commands.json`: it says how each source is
//! compiled, and not what is linked. A source with a `main` is a program; a single one is linked with all other
//! sources, each of several with what it needs of those without one. Nothing native is built.

use super::command_line::{Asked, Language, asked, language};
use super::wrapper::{arguments, place};
use super::{Built, Program, ROOM, tools};
use crate::Error;
use crate::input::{self, Kind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Functions that a program starts in.
const STARTS: [&str; 2] = ["main", "LLVMFuzzerTestOneInput"];

/// An entry, as the file has it.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// How a source is compiled.
struct Unit {
    directory: PathBuf,
    source: PathBuf,
    language: Language,
    asked: Asked,
}

/// Compiles the sources of a database to bitcode below `directory`, and links the programs that are in them
/// there, each named after the source with its `main`.
///
/// # Errors
/// When the database cannot be read, or LLVM's tools cannot be started.
pub fn run(directory: &Path, database: &Path) -> Result<Built, Error> {
    let room = directory.join(ROOM);
    let failed = |why: std::io::Error| Error::input(format!("{}: {why}", room.display()));
    fs::create_dir_all(room.join("objects")).map_err(failed)?;
    let mut missing = Vec::new();
    let units = units(database, &mut missing)?;
    let (mut programs, mut others) = (Vec::new(), Vec::new());
    for unit in units.values() {
        let bitcode = place(&room, &unit.directory, Path::new(""), &unit.source);
        match compile(unit, &bitcode)? {
            Ok(()) if starts(&bitcode)? => programs.push((unit, bitcode)),
            Ok(()) => others.push(bitcode),
            Err(why) => missing.push(format!("{}: {why}", unit.path().display())),
        }
    }
    let mut linked: Vec<Program> = Vec::new();
    let whole = programs.len() == 1;
    for (unit, start) in programs {
        let mut name = unit.source.file_stem().unwrap_or_default().to_os_string();
        name.push(".bc");
        let bitcode = directory.join(name);
        if linked.iter().any(|known| known.bitcode == bitcode) {
            missing.push(format!(
                "{}: another source of this name has a main",
                unit.path().display()
            ));
            continue;
        }
        match link(&start, &others, whole, &bitcode)? {
            Ok(()) => linked.push(Program {
                executable: unit.path(),
                bitcode,
                files: 1 + others.len(),
            }),
            Err(why) => missing.push(format!("{}: {why}", unit.path().display())),
        }
    }
    Ok(Built {
        code: 0,
        programs: linked,
        missing,
        slow: Vec::new(),
    })
}

impl Unit {
    fn path(&self) -> PathBuf {
        self.directory.join(&self.source)
    }
}

/// The sources of a database, each once.
fn units(database: &Path, missing: &mut Vec<String>) -> Result<BTreeMap<PathBuf, Unit>, Error> {
    let text = input::read_text(database, Kind::Result)?;
    let wrong = |why: String| Error::input(format!("{}: {why}", database.display()));
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|why| wrong(format!("not a compilation database: {why}")))?;
    let beside = std::path::absolute(database).unwrap_or_else(|_| database.to_path_buf());
    let beside = beside.parent().unwrap_or(Path::new("/"));
    let mut units: BTreeMap<PathBuf, Unit> = BTreeMap::new();
    for entry in entries {
        let unit = match entry.unit(beside) {
            Ok(unit) => unit,
            Err(why) => {
                missing.push(why);
                continue;
            }
        };
        match units.get(&unit.path()) {
            Some(known) if known.asked.options != unit.asked.options => missing.push(format!(
                "{}: compiled more than once with different options; bitcode is made as it is the first time",
                unit.path().display()
            )),
            Some(_) => {}
            None => {
                units.insert(unit.path(), unit);
            }
        }
    }
    Ok(units)
}

impl Entry {
    fn unit(self, beside: &Path) -> Result<Unit, String> {
        let named = self.file.display().to_string();
        let words = match (self.arguments, &self.command) {
            (Some(words), _) => words,
            (None, Some(line)) => shlex::split(line)
                .ok_or_else(|| format!("{named}: its command is not quoted as a shell has it"))?,
            (None, None) => return Err(format!("{named}: it has neither arguments nor a command")),
        };
        // A cache may stand before the compiler.
        let compiler = words.iter().enumerate().find_map(|(at, word)| {
            let name = Path::new(word).file_name()?.to_str()?;
            Some((at, language(name)?))
        });
        let (at, language) =
            compiler.ok_or_else(|| format!("{named}: no compiler for C or C++ in its command"))?;
        let args: Vec<OsString> = words[at + 1..].iter().map(OsString::from).collect();
        let asked = asked(&args).ok_or_else(|| format!("{named}: its command compiles nothing"))?;
        if let Some(opaque) = asked.opaque.first() {
            return Err(format!("{named}: {} has no bitcode", opaque.display()));
        }
        Ok(Unit {
            directory: beside.join(self.directory),
            source: self.file,
            language,
            asked,
        })
    }
}

fn compile(unit: &Unit, bitcode: &Path) -> Result<Result<(), String>, Error> {
    let (clang, args) = arguments(unit.language, &unit.asked, &unit.source, bitcode);
    let mut command = Command::new(tools::find(clang)?);
    tools::outcome(command.args(args).current_dir(&unit.directory))
}

/// Whether bitcode has a function that a program starts in.
fn starts(bitcode: &Path) -> Result<bool, Error> {
    let mut names = Command::new(tools::find("llvm-nm")?);
    names
        .args(["--defined-only", "--format=just-symbols"])
        .arg(bitcode);
    let output = names.output();
    let output = output.map_err(|why| Error::input(format!("llvm-nm: {why}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let why = said.lines().next().unwrap_or("it has failed");
        return Err(Error::input(format!(
            "llvm-nm: {}: {why}",
            bitcode.display()
        )));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    Ok(names.lines().any(|name| STARTS.contains(&name.trim())))
}

/// A program with the others, all of them or what it needs.
fn link(
    start: &Path,
    others: &[PathBuf],
    whole: bool,
    bitcode: &Path,
) -> Result<Result<(), String>, Error> {
    let needed = (!whole).then_some(OsStr::new("--only-needed"));
    let files = others.iter().map(|other| other.as_os_str());
    let words = [OsStr::new("-o"), bitcode.as_os_str(), start.as_os_str()];
    tools::run("llvm-link", needed.into_iter().chain(words).chain(files))
}

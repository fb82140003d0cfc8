//! The command under the names of compilers: it calls the one that is meant, and makes bitcode of the
//! same sources. [`rust`] is the same for the compiler that cargo calls.

use super::command_line::{Asked, Language, asked, language};
use super::{FAILURES, SECTION, SLOW, VARIABLE, elf, rust, tools};
use crate::Error;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::hash::Hasher as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// How the second compilation is made: as plat wants programs.
const FLAGS: &[&str] = &[
    "-g",
    "-O1",
    "-w",
    "-emit-llvm",
    "-c",
    "-U_FORTIFY_SOURCE",
    "-fno-builtin",
    "-fno-stack-protector",
    "-fno-pic",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-mlong-double-64",
    "-ffp-contract=off",
];

/// How a source is compiled that takes clang longer than [`SECONDS`]. Loops that follow one another by
/// the dozen, as those of zpaq's library do, can take its passes exponential time.
const PLAIN: &[&str] = &["-O0", "-Xclang", "-disable-O0-optnone"];

/// So long, of the processor's time, may the second compilation of a source take with its passes.
pub const SECONDS: u32 = 120;

/// What clang refuses by default and compilers of distributions take.
const TAKEN: &[&str] = &[
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-mismatch",
    "-Wno-register",
    "-Wno-reserved-user-defined-literal",
    "-Wno-c++11-narrowing",
    "-Wno-missing-template-arg-list-after-template-kw",
];

/// How a source in C++ is compiled that clang refuses otherwise: as by GCC, templates that nothing uses are
/// not looked into. Names that stand behind a template are seen in it, too, so it is not done at once.
const UNUSED: &str = "-fdelayed-template-parsing";

/// The variable that tells compilers what `__DATE__` and `__TIME__` are, in seconds since 1970.
const MOMENT: &str = "SOURCE_DATE_EPOCH";

/// The moment that both compilations of a source have, so that programs which print when they were built
/// print the same: that of the build, if it has one.
fn moment() -> OsString {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    std::env::var_os(MOMENT).unwrap_or_else(|| now.to_string().into())
}

/// The language of the compiler that is called by this name within a build, if it is one.
pub fn stands_for(name: &OsStr) -> Option<OsString> {
    let name = Path::new(name).file_name()?;
    let within = std::env::var_os(VARIABLE).is_some();
    let is_known = name == rust::NAME || language(name.to_str()?).is_some();
    (within && is_known).then(|| name.to_os_string())
}

/// Does what the compiler `name` is asked to, and makes bitcode. Returns the compiler's exit code.
///
/// # Errors
/// When the compiler cannot be started.
pub fn run(name: &OsStr, args: &[OsString]) -> Result<i32, Error> {
    if name == rust::NAME {
        return rust::run(args);
    }
    let room = PathBuf::from(std::env::var_os(VARIABLE).unwrap_or_default());
    let compiler = tools::on_path(name, Some(&room.join("bin")));
    let compiler = compiler
        .ok_or_else(|| Error::input(format!("{}: no such compiler", Path::new(name).display())))?;
    let moment = moment();
    let code = status(Command::new(compiler).args(args).env(MOMENT, &moment))?;
    if code != 0 {
        return Ok(code);
    }
    if let Some(asked) = asked(args).filter(|asked| !is_trial(asked)) {
        let language = name.to_str().and_then(language).unwrap_or(Language::C);
        make(&room, language, &asked, &moment)?;
    }
    Ok(code)
}

/// Runs a compiler; its exit code.
///
/// # Errors
/// When it cannot be started.
pub(super) fn status(compiler: &mut Command) -> Result<i32, Error> {
    let status = compiler.status();
    let name = compiler.get_program().to_string_lossy();
    let status = status.map_err(|why| Error::input(format!("{name}: {why}")))?;
    Ok(status.code().unwrap_or(1))
}

/// Whether it is one of the programs by which configure and CMake try the compiler.
fn is_trial(asked: &Asked) -> bool {
    let is = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("conftest") || path.components().any(|part| is_of_cmake(part.as_os_str()))
    };
    let here = std::env::current_dir().unwrap_or_default();
    asked
        .sources
        .iter()
        .chain([&here])
        .chain(&asked.output)
        .any(is)
}

/// Whether CMake tries the compiler in folders of this name.
fn is_of_cmake(folder: &OsStr) -> bool {
    ["CMakeScratch", "CompilerIdC", "CompilerIdCXX"]
        .iter()
        .any(|name| folder == *name)
}

/// Makes bitcode of the sources, and notes its names in what was made of them.
fn make(room: &Path, language: Language, asked: &Asked, moment: &OsStr) -> Result<(), Error> {
    let here = std::env::current_dir().unwrap_or_default();
    let output = |source: &Path| match (&asked.output, asked.objects) {
        (Some(output), _) => output.clone(),
        (None, true) => PathBuf::from(source.with_extension("o").file_name().unwrap_or_default()),
        (None, false) => PathBuf::from("a.out"),
    };
    for file in &asked.opaque {
        let why = match file.to_string_lossy().starts_with('@') {
            true => "a response file of the compiler is not read",
            false => "assembly has none",
        };
        failed(room, &format!("{}: {why}", here.join(file).display()));
    }
    let mut made: Vec<(PathBuf, PathBuf)> = Vec::new();
    for source in &asked.sources {
        let object = output(source);
        let bitcode = place(room, &here, &object, source);
        match compile(room, language, asked, moment, (source, &bitcode))? {
            Ok(()) => made.push((object, bitcode)),
            Err(why) => failed(room, &format!("{}: {why}", here.join(source).display())),
        }
    }
    let mut names: Vec<u8> = Vec::new();
    if asked.objects {
        for (object, bitcode) in made {
            note(room, &object, &line(&bitcode))?;
        }
        return Ok(());
    }
    for (_, bitcode) in made {
        names.extend(line(&bitcode));
    }
    // What shared libraries of the build are made of belongs to the program as well.
    for library in &asked.libraries {
        names.extend(elf::section(library, SECTION).unwrap_or_default());
    }
    match names.is_empty() {
        true => Ok(()),
        false => note(room, &output(Path::new("")), &names),
    }
}

/// What the section of a file says of a file of bitcode.
pub(super) fn line(bitcode: &Path) -> Vec<u8> {
    let mut line = bitcode.as_os_str().as_encoded_bytes().to_vec();
    line.push(b'\n');
    line
}

/// Where the bitcode of a source is kept: the same again when it is compiled again.
pub(super) fn place(room: &Path, here: &Path, object: &Path, source: &Path) -> PathBuf {
    let mut hasher = rustc_hash::FxHasher::default();
    for path in [&here.join(object), &here.join(source)] {
        hasher.write(path.as_os_str().as_encoded_bytes());
        hasher.write_u8(0);
    }
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    room.join("objects")
        .join(format!("{stem}-{:016x}.bc", hasher.finish()))
}

/// Traits of characters that GNU's C++ library has and libc++ has not.
const TRAITS: &str = include_str!("char_traits.h");

fn compile(
    room: &Path,
    language: Language,
    asked: &Asked,
    moment: &OsStr,
    (source, bitcode): (&Path, &Path),
) -> Result<Result<(), String>, Error> {
    let traits = room.join(format!("char_traits-{}.h", std::process::id()));
    let wrong = |why: std::io::Error| Error::input(format!("{}: {why}", traits.display()));
    let (clang, mut args) = arguments(language, asked, source, bitcode);
    let clang = tools::find(clang)?;
    let run = |args: &[&OsStr]| {
        let mut clang = tools::bounded(&clang, SECONDS);
        tools::outcome(clang.args(args).env(MOMENT, moment))
    };
    let mut done = run(&args)?;
    let lacks = |why: &String| why.contains("undefined template 'std::char_traits<");
    if done.as_ref().is_err_and(lacks) {
        fs::write(&traits, TRAITS).map_err(wrong)?;
        args.extend([OsStr::new("-include"), traits.as_os_str()]);
        done = run(&args)?;
    }
    let refused = |done: &Result<(), String>| done.as_ref().is_err_and(|why| why != tools::ENDED);
    if language == Language::Cpp && refused(&done) {
        args.push(OsStr::new(UNUSED));
        // What is still wrong then is said as without it.
        let again = run(&args)?;
        if !refused(&again) {
            done = again;
        }
    }
    if done.as_ref().is_err_and(|why| why == tools::ENDED) {
        args.extend(PLAIN.iter().map(OsStr::new));
        done = run(&args)?;
        if done.is_ok() {
            let here = std::env::current_dir().unwrap_or_default();
            enter(&room.join(SLOW), &here.join(source).display().to_string());
        }
    }
    match fs::remove_file(&traits) {
        Err(why) if why.kind() != ErrorKind::NotFound => Err(wrong(why)),
        _ => Ok(done),
    }
}

/// The compiler of a language, and the words that make it compile a source to bitcode.
pub(super) fn arguments<'a>(
    language: Language,
    asked: &'a Asked,
    source: &'a Path,
    bitcode: &'a Path,
) -> (&'static str, Vec<&'a OsStr>) {
    let clang = match language {
        Language::C => "clang",
        Language::Cpp => "clang++",
    };
    let mut args: Vec<&OsStr> = Vec::new();
    if language == Language::Cpp {
        // The library that there is in bitcode; an option of the build's wins.
        args.push(OsStr::new("-stdlib=libc++"));
    }
    args.extend(asked.options.iter().map(OsString::as_os_str));
    args.extend(FLAGS.iter().chain(TAKEN).map(OsStr::new));
    args.extend([source.as_os_str(), OsStr::new("-o"), bitcode.as_os_str()]);
    (clang, args)
}

/// Adds names of bitcode to the section of a file.
pub(super) fn note(room: &Path, file: &Path, names: &[u8]) -> Result<(), Error> {
    let before = elf::section(file, SECTION);
    let wrong = |why: std::io::Error| Error::input(format!("{}: {why}", room.display()));
    let list = room.join(format!("section-{}", std::process::id()));
    fs::write(
        &list,
        [before.as_deref().unwrap_or_default(), names].concat(),
    )
    .map_err(wrong)?;
    let what = match before {
        Some(_) => "--update-section",
        None => "--add-section",
    };
    let section = format!("{SECTION}={}", list.display());
    let added = tools::run(
        "llvm-objcopy",
        [OsStr::new(what), OsStr::new(&section), file.as_os_str()],
    )?;
    fs::remove_file(&list).map_err(wrong)?;
    if let Err(why) = added {
        failed(room, &format!("{}: {why}", file.display()));
    }
    Ok(())
}

/// Notes that there is no bitcode of something.
pub(super) fn failed(room: &Path, why: &str) {
    enter(&room.join(FAILURES), why);
}

/// Adds a line to a list.
fn enter(list: &Path, line: &str) {
    let file = OpenOptions::new().append(true).create(true).open(list);
    // One write, as several compilers run at once.
    let _ = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
}

//! What a compiler is asked to do.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The language of a compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
}

/// The language of the compiler with this name, if it is one: `cc`, `gcc-12`, `x86_64-linux-gnu-g++`.
pub fn language(name: &str) -> Option<Language> {
    let name = name.strip_prefix("x86_64-linux-gnu-").unwrap_or(name);
    let base = match name.rsplit_once('-') {
        Some((base, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => base,
        _ => name,
    };
    match base {
        "cc" | "c89" | "c99" | "c11" | "gcc" | "clang" => Some(Language::C),
        "c++" | "g++" | "clang++" => Some(Language::Cpp),
        _ => None,
    }
}

/// What is asked for, as far as bitcode is concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The sources.
    pub sources: Vec<PathBuf>,
    /// The output, if it is named.
    pub output: Option<PathBuf>,
    /// Whether objects are made, and nothing linked.
    pub objects: bool,
    /// Files that no bitcode is made of, though code may be in them: assembly, and files with further words
    /// of the command line.
    pub opaque: Vec<PathBuf>,
    /// Options for the second compilation: those that say what the source means.
    pub options: Vec<OsString>,
    /// Shared libraries that are linked, as far as they are named by their files or found in a
    /// directory of `-L`.
    pub libraries: Vec<PathBuf>,
}

/// Options that take the next word as their value and say what the source means.
const KEPT_WITH_VALUE: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-x",
];

/// Other options that take the next word.
const WITH_VALUE: &[&str] = &[
    "-L",
    "-l",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-T",
    "-u",
    "-z",
    "-e",
    "-aux-info",
    "--param",
    "-wrapper",
    "-h",
];

/// Options that make no object: the compiler is left alone with them.
const OTHER_WORK: &[&str] = &["-E", "-S", "-M", "-MM", "-fsyntax-only", "-###"];

/// Beginnings of options that say what the source means.
const KEPT: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-std=",
    "-ansi",
    "-isystem",
    "-iquote",
    "-include",
    "-idirafter",
    "-funsigned-",
    "-fsigned-",
    "-fno-unsigned-",
    "-fno-signed-",
    "-fshort-enums",
    "-fcommon",
    "-fno-common",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-exceptions",
    "-fno-rtti",
    "-fgnu89-inline",
    "-fpermissive",
    "-fms-extensions",
    "-fplan9-extensions",
    "-fshort-wchar",
    "-ffreestanding",
    "-nostdinc",
    "-pthread",
    "-stdlib=",
    "--sysroot=",
    "-fsanitize=undefined",
];

/// What the words behind the name of a compiler ask for; nothing if there is no bitcode to be made.
pub fn asked(args: &[OsString]) -> Option<Asked> {
    let mut asked = Asked {
        sources: Vec::new(),
        output: None,
        objects: false,
        opaque: Vec::new(),
        options: Vec::new(),
        libraries: Vec::new(),
    };
    let (mut inputs, mut directories, mut names) = (false, Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(text) = arg.to_str() else {
            continue;
        };
        match text {
            _ if OTHER_WORK.contains(&text) => return None,
            "-c" => asked.objects = true,
            "-o" => asked.output = rest.next().map(PathBuf::from),
            _ if KEPT_WITH_VALUE.contains(&text) => {
                asked.options.push(arg.clone());
                asked.options.extend(rest.next().cloned());
            }
            _ if WITH_VALUE.contains(&text) => {
                let value = rest.next();
                match text {
                    "-L" => directories.extend(value.map(PathBuf::from)),
                    "-l" => names.extend(value.and_then(|name| name.to_str())),
                    _ => {}
                }
            }
            _ if text.starts_with("-L") => directories.push(PathBuf::from(&text[2..])),
            _ if text.starts_with("-l") => names.push(&text[2..]),
            _ if text.starts_with('-') => {
                if KEPT.iter().any(|kept| text.starts_with(kept)) {
                    asked.options.push(arg.clone());
                }
            }
            _ => {
                inputs = true;
                match is_source(Path::new(text)) {
                    true => asked.sources.push(PathBuf::from(text)),
                    false if text.starts_with('@') || is_assembly(Path::new(text)) => {
                        asked.opaque.push(PathBuf::from(text));
                    }
                    false if text.ends_with(".so") || text.contains(".so.") => {
                        asked.libraries.push(PathBuf::from(text));
                    }
                    false => {}
                }
            }
        }
    }
    for name in names {
        let places = directories.iter();
        let mut files = places.map(|place| place.join(format!("lib{name}.so")));
        asked.libraries.extend(files.find(|file| file.is_file()));
    }
    if !asked.objects {
        // Objects that a response file names to the linker say themselves what they are made of.
        asked.opaque.retain(|file| is_assembly(file));
    }
    inputs.then_some(asked)
}

fn is_assembly(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| matches!(ending, "s" | "S" | "sx" | "asm"))
}

fn is_source(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| {
        matches!(
            ending,
            "c" | "i" | "cc" | "cpp" | "cxx" | "c++" | "C" | "ii"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Asked> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        asked(&words)
    }

    #[test]
    fn what_a_source_means_is_kept() {
        let found =
            of("-Wall -O2 -DX=1 -D Y -I../inc -MD -MF a.d -march=native -c a.c -o a.o").unwrap();
        assert_eq!(found.sources, [PathBuf::from("a.c")]);
        assert_eq!(found.output, Some(PathBuf::from("a.o")));
        assert!(found.objects);
        assert_eq!(found.options, ["-DX=1", "-D", "Y", "-I../inc"]);
        let linked = of("a.o b.c -Lx -lm lib/libz.so -o prog").unwrap();
        assert_eq!((linked.sources.len(), linked.objects), (1, false));
        assert_eq!(linked.libraries, [PathBuf::from("lib/libz.so")]);
    }

    #[test]
    fn other_work_is_left_alone() {
        assert_eq!(of("-E a.c"), None);
        assert_eq!(of("--version"), None);
        assert_eq!(of("-print-prog-name=ld"), None);
        assert_eq!(of("-x c - -c"), None);
    }

    #[test]
    fn what_has_no_bitcode_is_told() {
        let found = of("-c start.S -o start.o").unwrap();
        assert_eq!(
            (found.sources.len(), found.opaque),
            (0, vec!["start.S".into()])
        );
        assert_eq!(of("@words -c").unwrap().opaque, [PathBuf::from("@words")]);
        assert!(of("@objects -o prog").unwrap().opaque.is_empty());
        let found = of("-x c -c a.c").unwrap();
        assert_eq!((found.sources.len(), found.options.len()), (1, 2));
    }

    #[test]
    fn names_of_compilers() {
        let c = [
            "cc",
            "gcc",
            "gcc-12",
            "clang-22",
            "x86_64-linux-gnu-gcc",
            "x86_64-linux-gnu-gcc-12",
            "c99",
        ];
        assert!(c.iter().all(|name| language(name) == Some(Language::C)));
        assert!(
            ["g++", "c++", "clang++-22"]
                .iter()
                .all(|name| language(name) == Some(Language::Cpp))
        );
        for other in [
            "gcc-ar",
            "gcc-ranlib-12",
            "clang-format",
            "cpp",
            "ld",
            "clang-cpp-22",
        ] {
            assert_eq!(language(other), None, "{other}");
        }
    }
}

//! The C library against the system's: which of its functions there are, and that the GNU additions do
//! what the system's do.
//!
//! `tests/libc/functions.txt` has the functions of the system's library. A program that takes the address
//! of each shows which ones a linked program has; docs/libc-functions.md is made of that, and of
//! the reasons in `missing.txt` and `stand-ins.txt`.

use plat_engine::library::REFUSED;
use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What the executor carries out itself, whatever the library has.
const EXECUTOR: &[&str] = &[
    "_longjmp",
    "_setjmp",
    "aligned_alloc",
    "calloc",
    "free",
    "longjmp",
    "malloc",
    "malloc_usable_size",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "setjmp",
    "siglongjmp",
];

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("tests/libc").join(name)).expect("a list");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_string).collect()
}

/// Whether a name fits a pattern, in which a `*` is anything.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            let ends = (0..=rest.len()).filter(|&at| rest.is_char_boundary(at));
            ends.into_iter().any(|at| fits(&rest[at..], tail))
        }),
    }
}

/// Those of the functions that a program does not have when it is linked.
fn undefined(names: &[String], directory: &Path) -> BTreeSet<String> {
    let mut text = String::from("typedef void f(void);\n");
    for (number, name) in names.iter().enumerate() {
        writeln!(text, "extern char n{number} __asm__(\"{name}\");").expect("text");
    }
    text.push_str("const void *const all[] = {\n");
    for number in 0..names.len() {
        writeln!(text, "&n{number},").expect("text");
    }
    text.push_str("};\nint main(int n, char **a) { return all[n] == a; }\n");
    let source = directory.join("all.c");
    fs::write(&source, text).expect("a source");
    let (bitcode, linked) = (directory.join("all.bc"), directory.join("linked.bc"));
    compile_bitcode(&source, &bitcode);
    let words = [&bitcode, &linked].map(|path| path.to_string_lossy().into_owned());
    plat_ok(command(), &["link", &words[0], "-o", &words[1]]).expect("a program");
    let listed = must_run(Command::new("llvm-nm-22").arg("-u").arg(&linked)).stdout;
    let listed = String::from_utf8(listed).expect("names");
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    names.map(str::to_string).collect()
}

/// Names in lines of a page.
fn paragraph(names: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    let mut length = 0;
    for name in names {
        if length + name.len() > 150 {
            text.push('\n');
            length = 0;
        }
        length += name.len() + 3;
        write!(text, "`{name}` ").expect("text");
    }
    text.trim_end().replace(" \n", "\n")
}

#[test]
fn the_page_says_which_functions_there_are() {
    let directory = scratch("libc-functions");
    let functions = lines("functions.txt");
    let open = undefined(&functions, &directory);
    let mut rest: BTreeSet<String> = functions.iter().cloned().collect();

    let mut executor = Vec::new();
    let mut missing: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let reasons = lines("missing.txt");
    let reasons: Vec<(&str, Vec<&str>)> = reasons
        .iter()
        .map(|line| line.rsplit_once(" | ").expect("a reason and names"))
        .map(|(why, names)| (why, names.split(' ').collect()))
        .collect();
    for name in functions.iter().filter(|name| open.contains(*name)) {
        rest.remove(name);
        if EXECUTOR.contains(&name.as_str()) {
            executor.push(name.clone());
            continue;
        }
        let fitting =
            |(_, patterns): &(&str, Vec<&str>)| patterns.iter().any(|one| fits(name, one));
        let why = reasons.iter().position(fitting);
        let why = why.unwrap_or_else(|| {
            panic!("{name} is not there, and tests/libc/missing.txt does not say why")
        });
        missing.entry(why).or_default().push(name.clone());
    }

    let mut page = String::from(
        "# Functions of the C library\n\nEvery public function of the GNU C Library 2.36 (`libc`, `libm`), and whether a program under test has it. \
         The page is made, and held against a program that takes the address of each, by `tests/suite/libc.rs`.\n\n\
         A path that calls a function that is not there ends as unsupported, with its name. What to do: write it, or take it from where the program has it, compile it to \
         bitcode and add it with `--link-llvm-lib FILE.bc`; or have the machine's called with concrete arguments (`--external-calls concrete --external-allow NAME`).\n\n",
    );
    writeln!(
        page,
        "## Carried out by plat itself ({})\n\n{}\n",
        executor.len(),
        paragraph(executor)
    )
    .expect("text");
    page.push_str("## Stand-ins\n\nThese are there and do less than the system's.\n\n| functions | what differs |\n|---|---|\n");
    for line in lines("stand-ins.txt") {
        let (names, what) = line.split_once(" | ").expect("names and what they do");
        for name in names.split(' ') {
            assert!(
                functions.iter().any(|known| known == name),
                "{name} is no function of the system's library"
            );
            assert!(
                !missing.values().flatten().any(|gone| gone == name),
                "{name} is not there"
            );
        }
        let names: Vec<String> = names.split(' ').map(str::to_string).collect();
        writeln!(page, "| {} | {what} |", paragraph(names).replace('\n', " ")).expect("text");
    }
    page.push_str("\n## Refused\n\nThese fail, with a warning that is counted; so does what needs a system call that is not modelled (`sendfile`, `keyctl`).\n\n| function | what the program sees |\n|---|---|\n");
    for refused in REFUSED
        .iter()
        .filter(|one| functions.iter().any(|known| known == one.name))
    {
        writeln!(page, "| `{}` | {} |", refused.name, refused.sees).expect("text");
    }
    let count: usize = missing.values().map(Vec::len).sum();
    writeln!(
        page,
        "\n## Not there ({count})\n\n| why, and what to do | functions |\n|---|---|"
    )
    .expect("text");
    for (why, names) in missing {
        writeln!(
            page,
            "| {} | {} |",
            reasons[why].0,
            paragraph(names).replace('\n', " ")
        )
        .expect("text");
    }
    writeln!(
        page,
        "\n## There, in bitcode ({})\n\nWith the stand-ins above.\n\n{}",
        rest.len(),
        paragraph(rest)
    )
    .expect("text");

    let path = root().join("docs/libc-functions.md");
    if std::env::var_os("PLAT_BLESS").is_some() {
        fs::write(&path, &page).expect("the page");
    }
    let kept = fs::read_to_string(&path).expect("the page");
    assert!(
        kept == page,
        "docs/libc-functions.md is not what the library is: run this with PLAT_BLESS=1, and read the difference"
    );
}

/// The list is that of the machine's library, where it has that version.
#[test]
fn the_list_is_that_of_the_systems_library() {
    let version = must_run(Command::new("getconf").arg("GNU_LIBC_VERSION")).stdout;
    if version != b"glibc 2.36\n" {
        return;
    }
    let mut found = BTreeSet::new();
    for library in ["libc.so.6", "libm.so.6"] {
        let path = Path::new("/lib/x86_64-linux-gnu").join(library);
        let listed = must_run(
            Command::new("nm")
                .args(["-D", "--defined-only", "--with-symbol-versions"])
                .arg(path),
        );
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            let mut words = line.split_whitespace().skip(1);
            let (Some("T" | "W" | "i"), Some(name)) = (words.next(), words.next()) else {
                continue;
            };
            if let Some((name, version)) = name.split_once("@@")
                && version.starts_with("GLIBC_2")
            {
                found.insert(name.to_string());
            }
        }
    }
    let listed: BTreeSet<String> = lines("functions.txt").into_iter().collect();
    assert_eq!(listed, found);
}

/// Regular expressions, argp, fts, obstacks, random numbers and others, by plat and natively.
#[test]
fn the_gnu_additions_do_what_the_systems_do() {
    let directory = scratch("libc-gnu");
    let source = root().join("transform/runtime/test/gnu.c");
    let native = directory.join("gnu.native");
    must_run(
        Command::new("clang-22")
            .args(["-w", "-O1"])
            .arg(&source)
            .arg("-lm")
            .arg("-o")
            .arg(&native),
    );
    let expected = Command::new(&native).output().expect("a native run");
    assert_eq!(expected.status.code(), Some(3));
    let bitcode = directory.join("gnu.bc");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    let words = ["--quiet", "--output-dir"];
    let output = Command::new(command())
        .arg("explore")
        .args(words)
        .arg(&out)
        .arg(&bitcode)
        .output()
        .expect("a run");
    let (found, native) = (output.stdout, expected.stdout);
    assert_eq!(
        String::from_utf8_lossy(&found),
        String::from_utf8_lossy(&native)
    );
}

//! plat as a dependency of somebody else: the library's examples, and the pages that show how to add
//! something, are built in a crate outside of this workspace and run. What they print is checked.

use plat_tests::pages::{blocks, follow_in};
use plat_tests::{must_run, root, scratch};
use std::path::Path;
use std::process::Command;

/// Builds as this workspace does, into its directory, so that what is built already is used.
fn variables() -> Vec<(&'static str, String)> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |directory| root().join(directory));
    let libc = target.join("libc");
    vec![
        ("CARGO_TARGET_DIR", target.display().to_string()),
        ("CARGO_NET_OFFLINE", "true".into()),
        ("CARGO_PROFILE_DEV_OPT_LEVEL", "1".into()),
        ("CARGO_PROFILE_DEV_DEBUG", "line-tables-only".into()),
        ("PLAT_LIBC", libc.display().to_string()),
    ]
}

/// Makes a crate that depends on plat. plat is compiled anew for it, as cargo tells apart what is within a workspace and
/// outside of it: without optimisation, as what is run is small. Other crates are those that are built already.
fn outside(directory: &Path, name: &str) {
    let mut manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nplat = {{ path = {:?} }}\n\n[workspace]\n",
        root().join("driver")
    );
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let crates = workspace.lines();
    let crates = crates.filter_map(|line| line.split_once(" = { path"));
    // One that plat does not use would be warned of.
    for (name, _) in crates.filter(|(name, _)| *name != "plat-report") {
        manifest += &format!("\n[profile.dev.package.{name}]\nopt-level = 0\n");
    }
    std::fs::write(directory.join("Cargo.toml"), manifest).expect("a manifest");
    let lock = directory.join("Cargo.lock");
    std::fs::copy(root().join("Cargo.lock"), lock).expect("the versions of this workspace");
}

/// What an example prints about its program.
struct Example {
    name: &'static str,
    /// Further arguments.
    arguments: &'static [&'static str],
    check: fn(&str, &Path),
}

const EXAMPLES: &[Example] = &[
    Example {
        name: "crackme",
        arguments: &[],
        check: |printed, directory| {
            let source = root().join("driver/examples/crackme.c");
            let native = directory.join("crackme");
            let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
            must_run(Command::new(clang).arg(source).arg("-o").arg(&native));
            let welcome = must_run(Command::new(native).arg(printed.trim_end()));
            assert_eq!(welcome.stdout, b"welcome\n", "{printed}");
        },
    },
    Example {
        name: "coverage_hook",
        arguments: &["classify"],
        check: |printed, _| {
            let ways = "2 paths: lines 5 6 10\n1 paths: lines 5 7 8 10\n2 paths: lines 5 7 9 10\n";
            assert_eq!(printed, ways);
        },
    },
    Example {
        name: "function_in_rust",
        arguments: &[],
        check: |printed, _| {
            assert_eq!(printed.lines().count(), 1, "{printed}");
            assert!(
                printed.starts_with("memory error: out of bound pointer: Some("),
                "{printed}"
            );
        },
    },
    Example {
        name: "searcher",
        arguments: &[],
        check: |printed, _| {
            let returned: Vec<_> = (0..5).map(|count| format!("Some({count})")).collect();
            let lines: Vec<_> = printed.lines().collect();
            assert_eq!(lines.len(), 5, "{printed}");
            let in_order = lines.iter().zip(&returned);
            assert!(
                in_order.clone().all(|(line, count)| line.ends_with(count)),
                "{printed}"
            );
        },
    },
    Example {
        name: "memory_model",
        arguments: &[],
        check: |printed, _| {
            assert_eq!(
                printed,
                "limited: 16 paths\nforking: 64 paths\nmerging: 1 paths\n"
            );
        },
    },
];

#[test]
fn the_examples() {
    let directory = scratch("outsider");
    outside(&directory, "examples");
    let binaries = directory.join("src/bin");
    std::fs::create_dir_all(&binaries).expect("a folder");
    let sources = root().join("driver/examples");
    for entry in std::fs::read_dir(&sources).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "rs") {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let known = EXAMPLES.iter().any(|example| example.name == stem);
            assert!(known, "{stem}: an example that is not checked");
            let name = path.file_name().expect("a name");
            std::fs::copy(&path, binaries.join(name)).expect("a copy");
        }
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for example in EXAMPLES {
        let name = example.name;
        let bitcode = directory.join(format!("{name}.bc"));
        plat_tests::compile_bitcode(&sources.join(format!("{name}.c")), &bitcode);
        let output = must_run(
            Command::new(&cargo)
                .current_dir(&directory)
                .envs(variables())
                .args(["run", "--quiet", "--bin", name, "--"])
                .arg(&bitcode)
                .args(example.arguments),
        );
        let printed = String::from_utf8(output.stdout).expect("text");
        (example.check)(&printed, &directory);
    }
}

/// The body of a program: the first block of a page that checks itself, as the examples of rustdoc do.
fn body(text: &str) -> Option<String> {
    let blocks = blocks(text);
    let code = blocks.iter().find(|block| block.kind == "rust")?;
    let lines = &code.lines;
    let has = |word: &str| lines.iter().any(|line| line.contains(word));
    if !has("use plat::") || !has("assert") {
        return None;
    }
    // What a page hides has `# ` before it.
    let lines = lines
        .iter()
        .map(|line| line.strip_prefix("# ").unwrap_or(line));
    let lines: Vec<&str> = lines.collect();
    let lines = lines.join("\n");
    Some(format!(
        "fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{lines}\n}}\n"
    ))
}

#[test]
fn the_pages_that_check_themselves() {
    let (right, wrong) = ("assert_eq!(1 + 1, 2);", "assert_eq!(1 + 1, 3);");
    let page = |claim: &str| {
        format!(
            "```rust\nuse plat::Explorer;\nlet _ = Explorer::bitcode(\"p.bc\");\n{claim}\n# Ok(())\n```\n"
        )
    };
    assert!(builds_and_runs(&body(&page(right)).expect("code")));
    assert!(!builds_and_runs(&body(&page(wrong)).expect("code")));
    let mut run = Vec::new();
    for entry in std::fs::read_dir(root().join("docs/howto")).expect("pages") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a page");
        if let Some(body) = body(&text) {
            assert!(builds_and_runs(&body), "{}", path.display());
            run.push(path.file_name().expect("a name").to_owned());
        }
    }
    run.sort();
    assert_eq!(run, ["check.md", "function-model.md", "hook.md"]);
}

fn builds_and_runs(program: &str) -> bool {
    let directory = scratch("outsider-checked");
    outside(&directory, "checked");
    std::fs::create_dir(directory.join("src")).expect("a folder");
    std::fs::write(directory.join("src/main.rs"), program).expect("a program");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(&directory)
        .envs(variables())
        .args(["run", "--quiet"])
        .status()
        .expect("cargo");
    status.success()
}

/// Pages with the code of a crate of one's own that uses plat.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    for folder in ["docs/howto", "docs/book/src"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("pages") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a page");
            if blocks(&text).iter().any(|block| {
                let uses = |line: &String| line.contains("plat::");
                block.kind == "rust src/main.rs" && block.lines.iter().any(uses)
            }) {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn the_pages() {
    let pages = pages();
    for page in [
        "docs/book/src/embedding.md",
        "docs/howto/memory-model.md",
        "docs/howto/searcher.md",
    ] {
        assert!(pages.iter().any(|known| known == page), "{page}: no code");
    }
    for page in pages {
        let commands = follow_in(&page, &variables(), |directory| outside(directory, "own"));
        assert!(commands >= 2, "{page}: compiles a program and runs it");
    }
}

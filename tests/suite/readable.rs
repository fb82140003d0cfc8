//! Which files of the host a program sees. What it was not given looks as it would if it were not
//! there: as in a native run behind its removal.

use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, must_run, root, scratch};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

/// A directory `in` with a file and a link that leads out, and beside it what is not below it.
struct Place {
    directory: Scratch,
    bitcode: String,
    native: String,
}

impl Place {
    fn new(name: &str) -> Place {
        let directory = scratch(name);
        let bitcode = directory.join("reads.bc");
        let native = directory.join("reads.native");
        let source = root().join("tests/programs/files/reads.c");
        compile_bitcode(&source, &bitcode);
        must_run(Command::new("cc").arg(&source).arg("-o").arg(&native));
        for folder in ["in/below", "out/deep"] {
            fs::create_dir_all(directory.join(folder)).expect("a directory");
        }
        for (file, text) in [
            ("in/near", "NEAR"),
            ("in/below/low", "LOW"),
            ("out/secret", "SECRET"),
            ("out/deep/other", "OTHER"),
        ] {
            fs::write(directory.join(file), text).expect("a file");
        }
        symlink("../out/secret", directory.join("in/leads-out")).expect("a link");
        symlink("near", directory.join("in/leads-in")).expect("a link");
        let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        Place {
            bitcode: text(bitcode),
            native: text(native),
            directory,
        }
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).to_string_lossy().into_owned()
    }

    /// What plat does in `in`.
    fn plat(&self, options: &[&str], arguments: &[&str]) -> Output {
        let (inside, out) = (self.path("in"), self.path("run"));
        let _ = fs::remove_dir_all(&out);
        let mut words = vec!["explore", "--run-in-dir", &inside, "--output-dir", &out];
        words.extend(options);
        words.push(&self.bitcode);
        words.extend(arguments);
        plat_ok(command(), &words).expect("a run")
    }

    /// What the program says under plat.
    fn says(&self, options: &[&str], arguments: &[&str]) -> String {
        String::from_utf8(self.plat(options, arguments).stdout).expect("text")
    }

    /// What the program says natively.
    fn natively(&self, arguments: &[&str]) -> String {
        let mut run = Command::new(&self.native);
        let output = must_run(run.args(arguments).current_dir(self.path("in")));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Arguments that ask for everything, without naming a file on the command line but `more`.
    fn everything(&self, more: &[&str]) -> Vec<String> {
        let mut words = Vec::new();
        let absolute = |name: &str| format!("+x+{}", self.path(name));
        for (what, name) in [
            ("cat", "+x+near".to_string()),
            ("cat", "+x+below/low".to_string()),
            ("cat", "+x+leads-in".to_string()),
            ("cat", "+x+leads-out".to_string()),
            ("stat", "+x+leads-out".to_string()),
            ("cat", absolute("out/secret")),
            ("stat", absolute("out/secret")),
            ("cat", "+x+../out/secret".to_string()),
            ("cat", "+x+below/../../out/deep/other".to_string()),
            ("list", absolute("out")),
            ("list", absolute("in/below")),
            ("cat", "+x+/dev/null".to_string()),
        ] {
            words.extend([what.to_string(), name]);
        }
        words.extend(["link".into(), absolute("out/secret"), "+x+own-link".into()]);
        words.extend(["cat".into(), "+x+own-link".into()]);
        words.extend(more.iter().map(|word| word.to_string()));
        words
    }
}

fn words(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[test]
fn a_program_sees_what_it_was_given_as_if_nothing_else_were_there() {
    let place = Place::new("readable");
    let arguments = place.everything(&[]);
    let arguments = words(&arguments);
    let all = place.natively(&arguments);
    fs::remove_file(place.directory.join("in/own-link")).expect("the link");
    assert!(all.contains("SECRET") && all.contains("OTHER"));
    assert_eq!(place.says(&["--files", "host"], &arguments), all);

    let given = place.plat(&["--files", "given"], &arguments);
    assert_eq!(given.stdout, place.plat(&[], &arguments).stdout);
    let said = String::from_utf8_lossy(&given.stderr).into_owned();
    let secret = place.path("out/secret");
    assert!(
        said.contains(&format!("--allow-file {secret} lets")),
        "{said}"
    );
    let summary = fs::read_to_string(place.path("run/summary.json")).expect("a summary");
    let counted = "open: a file that the program was not given";
    assert!(summary.contains(counted), "{summary}");
    for file in fs::read_dir(place.path("run")).expect("the run") {
        let bytes = fs::read(file.expect("a file").path()).unwrap_or_default();
        assert!(!bytes.windows(6).any(|part| part == b"SECRET"));
    }

    // The same natively, without what it was not given.
    let hidden = place.path("hidden");
    fs::rename(place.path("out"), &hidden).expect("a move");
    let without = place.natively(&arguments);
    fs::remove_file(place.directory.join("in/own-link")).expect("the link");
    fs::rename(&hidden, place.path("out")).expect("a move");
    assert_eq!(String::from_utf8_lossy(&given.stdout), without);
    assert!(without.contains("NEAR") && without.contains("LOW"));
}

#[test]
fn what_the_command_line_names_and_the_user_adds_can_be_read() {
    let place = Place::new("readable-named");
    let secret = place.path("out/secret");
    let other = format!("+x+{}", place.path("out/deep/other"));
    // An argument, one behind a sign, and one that is a directory.
    let with = format!("--file={secret}");
    for named in [
        &["cat", &secret][..],
        &["cat", "../out/secret"],
        &["-", &with],
    ] {
        let arguments = [named, &["cat", "+x+leads-out", "cat", &other]].concat();
        let said = place.says(&[], &arguments);
        assert!(said.contains("leads-out: SECRET"), "{said}");
        assert!(said.contains("other: absent"), "{said}");
    }
    let said = place.says(&[], &["list", "../out", "cat", &other]);
    assert!(said.contains("list ../out: deep secret\n") && said.contains("OTHER"));
    // The root is no file that a command line names: it may be a division.
    let said = place.says(&[], &["-", "/", "cat", &other]);
    assert!(said.contains("other: absent"), "{said}");
    let deep = place.path("out/deep");
    let more = ["list", &format!("+x+{}", place.path("out"))].map(str::to_string);
    let arguments = [&["cat", &other, "cat", "+x+leads-out"][..], &words(&more)].concat();
    let said = place.says(&["--allow-file", &deep], &arguments);
    assert!(
        said.contains("OTHER") && said.contains("leads-out: absent"),
        "{said}"
    );
    assert!(said.contains("out: deep\n"), "{said}");
    let said = place.says(&["--files", "none"], &["cat", "near", "list", "."]);
    assert_eq!(said, "cat near: absent\nlist .:\n");
    let near = place.path("in/near");
    let said = place.says(
        &["--files=none", "--allow-file", &near],
        &["cat", "near", "list", "."],
    );
    assert_eq!(said, "cat near: NEAR\nlist .: near\n");

    let missing = place.path("nothing");
    let words = ["explore", "--allow-file", &missing, &place.bitcode];
    let refused = plat(command(), &words);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success());
    assert!(
        said.contains(&format!("--allow-file: {missing}: No such file")),
        "{said}"
    );
}

/// A file that a program makes where there is one that it does not see is its own, and the host's
/// stays.
#[test]
fn a_file_made_over_a_hidden_one_is_another_one() {
    let place = Place::new("readable-made");
    let secret = format!("+x+{}", place.path("out/secret"));
    let deep = place.path("out/deep");
    let said = place.says(&["--allow-file", &deep], &["make", &secret, "cat", &secret]);
    assert!(
        said.contains(": 4\n") && said.contains("secret: made"),
        "{said}"
    );
    let kept = fs::read(place.path("out/secret")).expect("the file");
    assert_eq!(kept, b"SECRET");
}

//! `plat build`: bitcode of whole programs from builds that know nothing of it; and `plat doctor`.

use plat_tests::explore::plat_ok;
use plat_tests::{command, must_run, scratch};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// A project with a configure script that tries things, a source that a program of the build writes, an
/// archive, a shared library and a source that is compiled and linked at once.
const FILES: &[(&str, &str)] = &[
    (
        "configure",
        "#!/bin/sh\nset -e\necho 'int main(void) { return sizeof(long double) == 16 ? 0 : 1; }' > conftest.c\n\
         ${CC:-cc} conftest.c -o conftest && ./conftest\n\
         if echo '#error no' | ${CC:-cc} -x c -c - -o conftest.o 2>/dev/null; then exit 1; fi\n\
         mkdir -p CompilerIdC && (cd CompilerIdC && echo 'int main(void) { return 0; }' > id.c && ${CC:-cc} id.c)\n\
         rm -f conftest*\necho '#define LIMIT 3' > config.h\n",
    ),
    (
        "Makefile",
        "CFLAGS = -O2 -Wall -Iinc\nall: prog whole old bytes unused\n\
         gen: gen.c\n\t$(CC) gen.c -o gen\n\
         table.h: gen\n\t./gen > table.h\n\
         low.o: low.c\n\t$(CC) $(CFLAGS) -MD -MF low.d -c low.c -o low.o\n\
         high.o: sub/high.c table.h\n\tcd sub && $(CC) -I.. $(CFLAGS) -DHIGH=1 -c high.c -o ../high.o\n\
         liblow.a: low.o\n\tar rcs liblow.a low.o\n\
         libshared.so: shared.c\n\t$(CC) -shared -fPIC shared.c -o libshared.so\n\
         prog: high.o liblow.a libshared.so\n\t$(CC) high.o -L. -llow -lshared -Wl,-rpath,. -o prog\n\
         whole: whole.c\n\tgcc whole.c -o whole\n\
         old: old.cc\n\tg++ -std=gnu++17 -w old.cc -o old\n\
         bytes: bytes.cc\n\tg++ bytes.cc -o bytes\n\
         unused: unused.cc\n\tg++ unused.cc -o unused\n",
    ),
    (
        "gen.c",
        "#include <stdio.h>\nint main(void) { puts(\"static const int table[] = {2, 3, 5, 7};\"); return 0; }\n",
    ),
    (
        "low.c",
        "#include \"config.h\"\nint low(int at) { return at % LIMIT; }\n",
    ),
    ("shared.c", "int shared(int at) { return at == 'x'; }\n"),
    (
        "sub/high.c",
        "#include \"table.h\"\n#ifndef HIGH\n#error HIGH\n#endif\nint low(int);\nint shared(int);\n\
         int main(int n, char **a)\n{\n\tif (n > 1 && shared(a[1][0])) return 100 / (a[1][1] - '0');\n\
         \treturn n > 1 ? table[low(a[1][0] & 127)] : 0;\n}\n",
    ),
    ("whole.c", "int main(void) { return 4; }\n"),
    // Clang refuses these by default.
    (
        "old.cc",
        "struct Five { template <class T> T as() { return T(5); } template <class T = int> T is() { return T(5); } };\n\
         template <class F> int five(F &of) { return of.template is(); }\n\
         int main(int n, char **)\n{\n\tunsigned long three = n + 2;\n\tunsigned char bytes[] = {three, 2};\n\
         \tFive of;\n\tregister int result = bytes[0] + bytes[1];\n\treturn result * five(of) / 5;\n}\n",
    ),
    // A string of what is no character, which GNU's library has and libc++ has not.
    (
        "bytes.cc",
        "#include <iostream>\n#include <string>\n\
         int main(int n, char **a)\n{\n\tstd::basic_string<unsigned char> bytes(3, 7);\n\
         \tbytes.insert(1, bytes);\n\tfor (char *c = a[n - 1]; *c; c++) bytes += (unsigned char)*c;\n\
         \tbytes.replace(2, 3, 2, 200);\n\tstd::cout << bytes.size() << ' ' << bytes.find(200) << ' '\n\
         \t\t<< (bytes < bytes.substr(1)) << ' ' << bytes.rfind('x') << '\\n';\n}\n",
    ),
    // A member of a template that cannot be used and is not, which GCC takes and clang refuses.
    (
        "unused.cc",
        "template <class T> struct View {\n\tconst T *at;\n\tconst unsigned long size;\n\
         \tView &operator=(const View &other) { at = other.at; size = other.size; return *this; }\n};\n\
         int main(int n, char **a)\n{\n\tView<char> word = {a[n - 1], 1};\n\
         \treturn word.at[0] == 'x' ? 3 : (int)word.size;\n}\n",
    ),
];

fn project(directory: &Path) {
    for (name, text) in FILES {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

fn plat_in(directory: &Path, words: &[&str]) -> Output {
    let mut plat = Command::new(command());
    plat.args(words)
        .current_dir(directory)
        .output()
        .expect("plat")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every test of a run does in the native build what its path did.
fn replays_the_same(directory: &Path, out: &str, native: &str) {
    let line = ["replay", "--quiet", "--run-in-dir", ".", out, "--", native];
    let replayed = plat_in(directory, &line);
    let said = text(&replayed.stdout);
    assert!(
        replayed.status.success() && said.contains(" 0 differ, 0 not compared"),
        "{said}"
    );
}

#[test]
fn a_build_gives_bitcode_beside_each_executable() {
    let directory = scratch("building");
    project(&directory);
    let all = "sh configure && make";
    let built = plat_in(&directory, &["build", "--", "sh", "-c", all]);
    let (said, complained) = (text(&built.stdout), text(&built.stderr));
    assert!(built.status.success(), "{said}{complained}");
    for line in [
        "gen.bc of 1 files",
        "prog.bc of 3 files",
        "whole.bc of 1 files",
        "old.bc of 1 files",
        "bytes.bc of 1 files",
        "unused.bc of 1 files",
    ] {
        assert!(said.contains(line), "{said}{complained}");
    }
    // What CMake tries is no program.
    assert!(!said.contains("a.out"), "{said}");
    assert!(!complained.contains("no bitcode"), "{complained}");
    let bytes = |command: &Path, words: &[&str]| {
        let mut bytes = Command::new(command);
        let ran = bytes.args(words).current_dir(&*directory).output();
        text(&ran.expect("a run").stdout)
    };
    let interpreted = bytes(
        command(),
        &[
            "explore",
            "--quiet",
            "--output-dir",
            "bytes-out",
            "bytes.bc",
            "xyx",
        ],
    );
    assert_eq!(interpreted, bytes(&directory.join("bytes"), &["xyx"]));
    // The native build is as without plat.
    let native = Command::new(directory.join("prog"))
        .arg("a")
        .current_dir(&*directory)
        .status();
    assert_eq!(native.expect("a run").code(), Some(3));

    let out = directory.join("out").to_string_lossy().into_owned();
    let line = [
        "explore",
        "--quiet",
        "--output-dir",
        &out,
        "prog.bc",
        "--sym-arg",
        "2",
    ];
    let explored = plat_in(&directory, &line);
    assert!(explored.status.success(), "{}", text(&explored.stderr));
    let summary = fs::read_to_string(directory.join("out/summary.json")).expect("a summary");
    assert!(summary.contains("\"unsupported\": {}"), "{summary}");
    let errors = fs::read_dir(&out).expect("the run").flatten();
    let errors = errors.filter(|entry| entry.file_name().to_string_lossy().ends_with(".div.err"));
    assert_eq!(errors.count(), 1);
    replays_the_same(&directory, &out, "./prog");
    let line = "explore --quiet --output-dir unused-out unused.bc --sym-arg 1";
    let words: Vec<&str> = line.split(' ').collect();
    assert!(plat_in(&directory, &words).status.success());
    replays_the_same(&directory, "unused-out", "./unused");

    // A second build compiles what has changed, and keeps the rest.
    fs::write(
        directory.join("low.c"),
        "int low(int at) { return at & 1; }\n",
    )
    .expect("a source");
    must_run(
        Command::new("touch")
            .args(["-d", "+2 seconds"])
            .arg(directory.join("low.c")),
    );
    let built = plat_in(&directory, &["build", "--", "make"]);
    assert!(
        text(&built.stdout).contains("prog.bc of 3 files"),
        "{}",
        text(&built.stderr)
    );
    let same = plat_in(
        &directory,
        &[
            "explore",
            "--quiet",
            "--exit-code",
            "--output-dir",
            "second",
            "prog.bc",
            "a",
        ],
    );
    assert_eq!(same.status.code(), Some(3), "{}", text(&same.stderr));
}

/// A path on which a script stands for a program, which it calls REAL.
fn in_place_of(name: &str, directory: &Path, script: &str) -> OsString {
    let path = std::env::var_os("PATH").expect("a path");
    let mut places = std::env::split_paths(&path).map(|place| place.join(name));
    let real = places.find(|file| file.is_file()).expect("the program");
    let script = script.replace("REAL", &real.display().to_string());
    let first = directory.join("first");
    fs::create_dir(&first).expect("a folder");
    fs::write(first.join(name), format!("#!/bin/sh\n{script}\n")).expect("a script");
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(first.join(name), all).expect("a script");
    [first.as_os_str(), &path].join(OsStr::new(":"))
}

#[test]
fn a_source_that_is_optimised_too_long_is_compiled_without() {
    let directory = scratch("building-long");
    let source = "int main(int n, char **a) { return n > 1 && a[1][0] == 'x'; }\n";
    fs::write(directory.join("long.c"), source).expect("a source");
    // A compiler whose passes are ended by the system, as they are when their time is up.
    let script = "case \" $* \" in *' -O0 '*) ;; *) kill -XCPU $$ ;; esac; REAL \"$@\"";
    let path = in_place_of("clang-22", &directory, script);
    let mut build = Command::new(command());
    build.args(["build", "--", "gcc", "long.c", "-o", "long"]);
    let built = must_run(build.current_dir(&*directory).env("PATH", path));
    let said = text(&built.stderr);
    let slow = format!("longer than 120 s: {}/long.c\n", directory.display());
    assert!(said.contains(&slow), "{said}");
    let line = "explore --quiet --output-dir out long.bc --sym-arg 1";
    let words: Vec<&str> = line.split(' ').collect();
    assert!(plat_in(&directory, &words).status.success());
    replays_the_same(&directory, "out", "long");
}

#[test]
fn both_compilations_of_a_source_have_one_time() {
    let directory = scratch("building-time");
    let source = "#include <stdio.h>\nint main(void) { puts(__DATE__ \" \" __TIME__); }\n";
    fs::write(directory.join("time.c"), source).expect("a source");
    // A compiler that takes longer than the second that `__TIME__` counts.
    let path = in_place_of("gcc", &directory, "REAL \"$@\" && sleep 2");
    let mut build = Command::new(command());
    build.args(["build", "--", "gcc", "time.c", "-o", "time"]);
    must_run(build.current_dir(&*directory).env("PATH", path));
    let native = Command::new(directory.join("time")).output();
    let line = ["explore", "--quiet", "--output-dir", "out", "time.bc"];
    let explored = plat_in(&directory, &line);
    assert_eq!(text(&explored.stdout), text(&native.expect("a run").stdout));
}

#[test]
fn a_build_that_fails_or_makes_nothing_says_so() {
    let directory = scratch("building-nothing");
    let failed = plat_in(&directory, &["build", "--", "sh", "-c", "exit 7"]);
    assert_eq!(failed.status.code(), Some(7));
    assert!(text(&failed.stderr).contains("exit code 7"));
    let nothing = plat_in(&directory, &["build", "--", "true"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(
        text(&nothing.stderr).contains("no executable here"),
        "{}",
        text(&nothing.stderr)
    );
    let absent = plat_in(&directory, &["build", "--", "no-such-command"]);
    assert!(text(&absent.stderr).contains("no-such-command: No such file"));
    // What has no bitcode is named, and the program is there without it.
    fs::write(
        directory.join("odd.c"),
        "int main(void) { void inner(void) { } inner(); return 0; }\n",
    )
    .expect("a source");
    let odd = plat_in(&directory, &["build", "--", "gcc", "odd.c", "-o", "odd"]);
    let said = text(&odd.stderr);
    assert!(
        said.contains("no bitcode: ") && said.contains("odd.c: ") && said.contains("error"),
        "{said}"
    );
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let fine = plat_ok(command(), &["doctor"]).expect("a machine on which the tests run");
    let said = text(&fine.stdout);
    for line in [
        "ok       clang ",
        "ok       C library ",
        "ok       C++ library ",
        "ok       run ",
        "ok       run with Z3 ",
        "ok       Z3               4.",
        "ok       answers ",
        "ok       sandbox ",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let directory = scratch("doctor");
    let wrong = plat_in(&directory, &["doctor", "--libc-dir", "."]);
    let said = text(&wrong.stdout);
    assert_eq!(wrong.status.code(), Some(1), "{said}");
    assert!(
        said.contains("wrong    C library ") && said.contains("build-libc"),
        "{said}"
    );
    let mut without = Command::new("sh");
    let script = format!(
        "ulimit -n 100; PATH=/nowhere exec {} doctor",
        command().display()
    );
    let without = without.arg("-c").arg(script).output().expect("a shell");
    let said = text(&without.stdout);
    assert_eq!(without.status.code(), Some(1), "{said}");
    assert!(
        said.contains("wrong    clang ") && said.contains("scripts/setup"),
        "{said}"
    );
    assert!(
        said.contains("lacking  open files ") && said.contains("ulimit -n"),
        "{said}"
    );
}

/// Two sources, and a database that says how they are compiled.
fn database(directory: &Path) {
    let files = [
        (
            "src/main.c",
            "#include <limit.h>\nint low(int);\nint main(int n, char **a)\n{\n\treturn n > 1 ? 100 / low(a[1][0]) : LIMIT;\n}\n",
        ),
        (
            "src/low.c",
            "#include NAME\nint low(int at) { return at - LETTER; }\n",
        ),
        ("inc/limit.h", "#define LIMIT 3\n"),
    ];
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let entries = serde_json::json!([
        { "directory": directory.join("src"), "file": "main.c",
          "arguments": ["/usr/bin/cc", "-Wall", "-O2", "-I../inc", "-MD", "-MF", "main.d", "-o", "main.o", "-c", "main.c"] },
        { "directory": "src", "file": "low.c",
          "command": "ccache gcc -DLETTER=\\'x\\' '-DNAME=<limit.h>' -I ../inc -c low.c -o low.o" },
    ]);
    fs::write(directory.join("compile_commands.json"), entries.to_string()).expect("a database");
}

#[test]
fn a_database_of_commands_gives_the_programs_in_it() {
    let directory = scratch("building-database");
    database(&directory);
    let built = plat_in(&directory, &["build", "--compile-commands"]);
    let (said, complained) = (text(&built.stdout), text(&built.stderr));
    assert!(built.status.success(), "{said}{complained}");
    assert_eq!(
        (said.as_str(), complained.as_str()),
        ("main.bc of 2 files\n", "")
    );
    // What the whole program does: the same as a native build of the two.
    let native = [
        "-w",
        "-Iinc",
        "-DLETTER='x'",
        "-DNAME=<limit.h>",
        "src/main.c",
        "src/low.c",
        "-o",
        "main",
    ];
    must_run(Command::new("cc").args(native).current_dir(&*directory));
    let out = directory.join("out").to_string_lossy().into_owned();
    let line = [
        "explore",
        "--quiet",
        "--output-dir",
        &out,
        "main.bc",
        "--sym-args",
        "0",
        "1",
        "1",
    ];
    let explored = plat_in(&directory, &line);
    assert!(explored.status.success(), "{}", text(&explored.stderr));
    let summary = fs::read_to_string(directory.join("out/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["paths"]["faults"], 1, "{summary}");
    replays_the_same(&directory, &out, "./main");
    // The place of the fault is in the source that the database names.
    let report = plat_in(&directory, &["report", &out]);
    let place = directory.join("src/main.c").to_string_lossy().into_owned();
    assert!(
        text(&report.stdout).contains(&format!("{place}:5:")),
        "{}",
        text(&report.stdout)
    );
}

#[test]
fn each_main_of_a_database_is_a_program_and_what_is_wrong_is_said() {
    let directory = scratch("building-mains");
    database(&directory);
    fs::write(
        directory.join("src/other.c"),
        "int low(int);\nint main(void) { return low('y'); }\n",
    )
    .expect("a source");
    fs::write(directory.join("src/broken.c"), "int broken(\n").expect("a source");
    let file = directory.join("compile_commands.json");
    let all = fs::read_to_string(&file).expect("the database");
    let mut all: serde_json::Value = serde_json::from_str(&all).expect("JSON");
    for name in ["other.c", "broken.c"] {
        let entry = serde_json::json!({ "directory": "src", "file": name, "arguments": ["clang", "-c", name] });
        all.as_array_mut().expect("a list").push(entry);
    }
    let strange =
        serde_json::json!({ "directory": "src", "file": "start.S", "command": "as start.S" });
    all.as_array_mut().expect("a list").push(strange);
    let named = directory.join("db.json");
    fs::write(&named, all.to_string()).expect("a database");
    let built = plat_in(&directory, &["build", "--compile-commands", "db.json"]);
    let (said, complained) = (text(&built.stdout), text(&built.stderr));
    assert!(built.status.success(), "{said}{complained}");
    assert_eq!(said, "main.bc of 2 files\nother.bc of 2 files\n");
    assert_eq!(complained.lines().count(), 2, "{complained}");
    assert!(
        complained.contains("broken.c: ") && complained.contains("start.S: no compiler"),
        "{complained}"
    );
    let out = directory.join("out").to_string_lossy().into_owned();
    let run = plat_in(
        &directory,
        &[
            "explore",
            "--quiet",
            "--exit-code",
            "--output-dir",
            &out,
            "other.bc",
        ],
    );
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));

    for (written, expected) in [("{", "not a compilation database"), ("[]", "no program")] {
        fs::write(&named, written).expect("a database");
        let refused = plat_in(&directory, &["build", "--compile-commands", "db.json"]);
        let complained = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{complained}");
        assert!(
            complained.contains(expected) && complained.lines().count() == 1,
            "{complained}"
        );
    }
    let refused = plat_in(&directory, &["build", "--compile-commands", "none.json"]);
    assert_eq!(
        (refused.status.code(), text(&refused.stderr).lines().count()),
        (Some(2), 1)
    );
}

//! The counts of gcov against what a program of ours does on its inputs.

use std::path::Path;
use std::process::Command;

use plat_env::Ktest;
use plat_env::ktest::Object;

use super::bits::{Bits, needed};
use super::gcov::Universe;
use super::replay::replay;

/// Conditions on two bytes. A run that aborts keeps what it has covered, one that does not end loses it.
const SOURCE: &str = "#include <stdio.h>\n\
    #include <stdlib.h>\n\
    int main(int count, char **words)\n\
    {\n\
    \tint byte = getchar();\n\
    \tif (byte == 'a')\n\
    \t\tputs(\"a\");\n\
    \tif (count > 1 && words[1][0] == 'x')\n\
    \t\tabort();\n\
    \twhile (byte == 'z')\n\
    \t\t;\n\
    \treturn 0;\n\
    }\n";

fn test(folder: &Path, name: &str, word: u8, typed: u8) -> std::path::PathBuf {
    let object = |name: &str, bytes: Vec<u8>| Object {
        name: name.into(),
        bytes,
    };
    let words = ["program", "--sym-arg", "1", "--sym-stdin", "1"];
    let test = Ktest {
        args: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
        objects: vec![object("arg00", vec![word, 0]), object("stdin", vec![typed])],
    };
    let path = folder.join(format!("test{name}.ktest"));
    std::fs::write(&path, test.to_bytes()).unwrap();
    path
}

#[test]
fn tests_cover_what_they_do() {
    let folder = crate::process::scratch().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("program.c"), SOURCE).unwrap();
    let dump = crate::programs::folder().join("harnesses/dump.c");
    let compiled = Command::new("gcc")
        .args(["--coverage", "-O0", "-c", "program.c"])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(compiled.success());
    let linked = Command::new("gcc")
        .args(["--coverage", "program.o", "-o", "program", "-x", "c"])
        .arg(dump)
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(linked.success());
    let universe = Universe::read(folder, &["program.c".into()]).unwrap();
    let tests = [
        test(folder, "1", b'-', b'a'),
        test(folder, "2", b'-', b'b'),
        test(folder, "3", b'x', b'b'),
        test(folder, "4", b'-', b'z'),
    ];
    let taken = replay(&folder.join("program"), &universe, &tests).unwrap();
    let branches: Vec<Bits> = taken
        .iter()
        .map(|taken| universe.branches_of(taken))
        .collect();
    // Four conditions with two sides; there is always an argument.
    let counts: Vec<usize> = branches.iter().map(Bits::count).collect();
    assert_eq!(counts, [4, 4, 3, 0]);
    assert_eq!(needed(&branches), [0, 2]);
    let mut all = Bits::default();
    branches.iter().for_each(|branches| all.add(branches));
    assert_eq!(all.count(), 6);
    let mut together = taken[0].clone();
    taken.iter().for_each(|taken| together.0.add(&taken.0));
    let (branches, lines) = universe.shares(&together);
    assert!((branches - 100.0 * 6.0 / 8.0).abs() < 0.01, "{branches}");
    // All lines but that of the loop's body.
    assert!(lines > 80.0, "{lines}");
}

//! `run.istats` read: what each instruction of a program has cost.

use crate::Error;
use crate::input::{self, Kind};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;
use std::path::Path;

/// The name of the file in the directory of a run.
pub const FILE: &str = "run.istats";

/// What something has cost by itself, without what it calls.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Instructions executed.
    pub executed: u64,
    /// Questions to the solver.
    pub asked: u64,
    /// Microseconds of the solver.
    pub solving_us: u64,
    /// Forks.
    pub forks: u64,
    /// Instructions of the program that were executed at least once,
    pub covered: u64,
    /// and those that never were.
    pub uncovered: u64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.executed += other.executed;
        self.asked += other.asked;
        self.solving_us += other.solving_us;
        self.forks += other.forks;
        self.covered += other.covered;
        self.uncovered += other.uncovered;
    }
}

/// A function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its source file; empty if it is not known.
    pub file: String,
    /// Its instructions in their order: the number of a file in [`Profile::files`], the line there (0 if it
    /// is not known), and what it has cost.
    pub insts: Vec<(u32, u32, Cost)>,
}

impl Function {
    /// What all of it has cost.
    pub fn cost(&self) -> Cost {
        let mut sum = Cost::default();
        self.insts.iter().for_each(|&(_, _, cost)| sum += cost);
        sum
    }
}

/// The functions of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Profile {
    /// Source files.
    pub files: Vec<String>,
    /// The functions that have code.
    pub functions: Vec<Function>,
}

/// The profile of a run.
///
/// # Errors
/// When it has none, or it cannot be read.
pub fn read(directory: &Path) -> Result<Profile, Error> {
    let path = directory.join(FILE);
    let text = input::read_text(&path, Kind::Result)?;
    let wrong = |at: usize| Error::input(format!("{}: line {at} is wrong", path.display()));
    parse(&text).map_err(wrong)
}

/// Reads a profile. The error is the number of the first line that is wrong.
fn parse(text: &str) -> Result<Profile, usize> {
    let mut profile = Profile::default();
    let (mut file, mut inlined) = (0, 0);
    // The line behind `calls=` is the cost of what is called.
    let mut of_callee = false;
    for (line, at) in text.lines().zip(1_usize..) {
        if line.starts_with(|it: char| it.is_ascii_digit()) {
            if std::mem::take(&mut of_callee) {
                continue;
            }
            let inst = inst(line).ok_or(at)?;
            let function = profile.functions.last_mut().ok_or(at)?;
            function.insts.push((inlined, inst.0, inst.1));
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        match key {
            "fl" => {
                file = profile.file(value);
                inlined = file;
            }
            "fi" | "fe" => inlined = profile.file(value),
            "fn" => {
                inlined = file;
                let name = value.to_string();
                let file = profile.files.get(file as usize);
                let file = file.cloned().unwrap_or_default();
                let insts = Vec::new();
                profile.functions.push(Function { name, file, insts });
            }
            "calls" => of_callee = true,
            _ => {}
        }
    }
    Ok(profile)
}

/// The line and the cost of an instruction.
fn inst(line: &str) -> Option<(u32, Cost)> {
    let mut numbers = line.split(' ').map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    let [_, line, asked, _, _, executed, forks, covered, uncovered] =
        std::array::from_fn(|_| next());
    let cost = Cost {
        // Runs of earlier versions have not counted it.
        solving_us: next().unwrap_or_default(),
        executed: executed?,
        asked: asked?,
        forks: forks?,
        covered: covered?,
        uncovered: uncovered?,
    };
    Some((u32::try_from(line?).ok()?, cost))
}

impl Profile {
    /// The number of a file.
    fn file(&mut self, name: &str) -> u32 {
        let known = self.files.iter().rposition(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.files.push(name.to_string());
            self.files.len() - 1
        });
        at as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_their_files_and_calls_are_passed_over() {
        let text = "version: 1\npositions: instr line\nevents: Q Qv Qiv I Forks Icov Iuncov Qtime\nob=p\n\
                    fl=/a.c\nfn=main\n60 43 2 1 1 10 1 1 0 7\ncfl=/b.c\ncfn=f\ncalls=1 236 6\n\
                    60 43 9 9 9 118 9 115 38\nfi=/a.h\n61 5 0 0 0 0 0 0 1\nfn=g\n70 50 0 0 0 3 0 1 0\n";
        let profile = parse(text).expect("a profile");
        let [main, g] = &profile.functions[..] else {
            panic!("{profile:?}");
        };
        let cost = main.cost();
        assert_eq!((cost.executed, cost.asked, cost.forks), (10, 2, 1));
        assert_eq!(cost.solving_us, 7);
        assert_eq!((cost.covered, cost.uncovered), (1, 1));
        let places = |function: &Function| -> Vec<(String, u32)> {
            let insts = function.insts.iter();
            let place =
                |&(file, line, _): &(u32, u32, Cost)| (profile.files[file as usize].clone(), line);
            insts.map(place).collect()
        };
        assert_eq!(places(main), [("/a.c".into(), 43), ("/a.h".into(), 5)]);
        assert_eq!(places(g), [("/a.c".into(), 50)]);
        assert_eq!(parse("fn=f\n1 2 3\n"), Err(2));
        assert_eq!(parse("1 2 3 4 5 6 7 8 9\n"), Err(1));
    }
}

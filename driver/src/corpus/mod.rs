//! Corpora of fuzzers: files of plain bytes, one for each input.
//!
//! [`files`] finds them in the directories of AFL++ and libFuzzer, [`names`] has the names that both
//! give to them. A fuzzer's input is one part of what a program gets here ([`Place`]): the data of a
//! fuzzer's harness, symbolic standard input, or a symbolic file. As a seed it says nothing of the
//! other parts; they are zero.

pub mod files;
pub mod names;
pub mod peers;

use crate::Error;
use crate::fuzzing;
use plat_engine::Config;
use plat_engine::seeds::Seed;
use plat_env::ktest::Ktest;
use plat_env::{InputSpec, Source, parse_posix_options};
use plat_program::Program;

/// An input of a fuzzer's, to be followed as a seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raw {
    /// Where it comes from, for messages.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The part of a program's input that a fuzzer's input is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The data of `LLVMFuzzerTestOneInput`.
    Harness,
    /// Standard input.
    Stdin,
    /// The symbolic file of this name.
    File(String),
}

/// A place, and how many bytes it has room for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The place.
    pub place: Place,
    /// The bytes that it has; of a harness the most.
    pub size: u64,
}

impl Target {
    /// Where a fuzzer's inputs go: to the harness if the program is one, else to standard input, else
    /// to the first symbolic file. `None` if nothing of this is symbolic.
    pub fn of(config: &Config, input: &InputSpec, program: &Program) -> Option<Self> {
        if fuzzing::is_harness(program) {
            let size = u64::from(config.start.most_fuzzed());
            return Some(Target {
                place: Place::Harness,
                size,
            });
        }
        Target::in_spec(input)
    }

    fn in_spec(input: &InputSpec) -> Option<Self> {
        if let Some(size) = input.stdin.as_ref().and_then(symbolic_size) {
            let place = Place::Stdin;
            return Some(Target { place, size });
        }
        if let Some((_, size)) = input.sym_files.filter(|&(count, _)| count > 0) {
            let place = Place::File("A".into());
            return Some(Target { place, size });
        }
        input.files.iter().find_map(|file| {
            let place = Place::File(file.name.clone());
            let size = symbolic_size(&file.source)?;
            Some(Target { place, size })
        })
    }

    /// What the place is called in messages.
    pub fn name(&self) -> String {
        match &self.place {
            Place::Harness => format!("the harness's data (--fuzz-max-len {})", self.size),
            Place::Stdin => format!("standard input ({} bytes)", self.size),
            Place::File(name) => format!("the file {name} ({} bytes)", self.size),
        }
    }

    /// The seed that an input is; without the bytes that there is no room for.
    pub fn seed(&self, bytes: &[u8]) -> Seed {
        let fitting = &bytes[..bytes.len().min(self.size as usize)];
        let object = |name: &str, bytes: &[u8]| (name.to_string(), bytes.to_vec());
        let objects = match &self.place {
            Place::Harness => vec![
                object(fuzzing::SIZE, &(fitting.len() as u32).to_le_bytes()),
                object(fuzzing::DATA, fitting),
            ],
            Place::Stdin => vec![object("stdin", fitting)],
            Place::File(name) => vec![object(&format!("{name}_data"), fitting)],
        };
        Seed {
            objects,
            partial: true,
        }
    }

    /// What the place has in a run that follows an input: without what does not fit, and of a fixed
    /// size, with zeros behind it.
    pub fn as_given(&self, bytes: &[u8]) -> Vec<u8> {
        let mut given = bytes[..bytes.len().min(self.size as usize)].to_vec();
        if self.place != Place::Harness {
            given.resize(self.size as usize, 0);
        }
        given
    }

    /// The bytes that the place has in a test with these objects.
    pub fn bytes_in<'t>(
        &self,
        objects: impl IntoIterator<Item = (&'t str, &'t [u8])>,
    ) -> Option<Vec<u8>> {
        let wanted = match &self.place {
            Place::Harness => return fuzzing::input_of(objects),
            Place::Stdin => "stdin".to_string(),
            Place::File(name) => format!("{name}_data"),
        };
        let mut objects = objects.into_iter();
        let found = objects.find(|(name, _)| *name == wanted);
        found.map(|(_, bytes)| bytes.to_vec())
    }
}

/// How many bytes an input has, if one of them is symbolic.
fn symbolic_size(source: &Source) -> Option<u64> {
    match source {
        Source::Symbolic(size) => Some(*size),
        Source::Template(bytes) => Some(bytes.len() as u64),
        Source::TemplateFile(path) => std::fs::metadata(path).ok().map(|file| file.len()),
        Source::Concrete(_) => None,
    }
}

/// The input for a fuzzer that a test case has.
///
/// # Errors
/// When it has none: only its arguments are symbolic, or objects of a harness of KLEE's kind.
pub fn input_of(test: &Ktest) -> Result<Vec<u8>, Error> {
    let objects = || {
        let named = test.objects.iter();
        named.map(|object| (object.name.as_str(), &object.bytes[..]))
    };
    if let Some(bytes) = fuzzing::input_of(objects()) {
        return Ok(bytes);
    }
    let words = test.args.get(1..).unwrap_or_default();
    let input = parse_posix_options(words).map_err(Error::input)?;
    let target = Target::in_spec(&input);
    let found = target.and_then(|target| target.bytes_in(objects()));
    found.ok_or_else(|| {
        Error::input(
            "no input for a fuzzer: neither standard input nor a file is symbolic, and it is not \
             of a fuzzer's harness",
        )
    })
}

/// Gives a run the seeds that the inputs of a fuzzer are, behind those that it has. Says what had to
/// be cut off.
///
/// # Errors
/// When the program has no symbolic input for them.
pub fn add_seeds(
    config: &mut Config,
    input: &InputSpec,
    program: &Program,
    raw: &[Raw],
) -> Result<Option<String>, Error> {
    if raw.is_empty() {
        return Ok(None);
    }
    let target = target(config, input, program)?;
    let seeds = raw.iter().map(|raw| target.seed(&raw.bytes));
    config.search.seeds.all.extend(seeds);
    Ok(cut_off(&target, raw))
}

/// As [`Target::of`].
///
/// # Errors
/// If there is none.
pub fn target(config: &Config, input: &InputSpec, program: &Program) -> Result<Target, Error> {
    Target::of(config, input, program).ok_or_else(|| {
        Error::input(
            "nothing of the input can take a fuzzer's bytes; make standard input symbolic \
             (--sym-stdin N) or a file (--sym-files 1 N), or give a fuzzer's harness",
        )
    })
}

/// What is said of inputs that are longer than their place.
fn cut_off(target: &Target, raw: &[Raw]) -> Option<String> {
    let long = raw
        .iter()
        .filter(|raw| raw.bytes.len() as u64 > target.size);
    let longest = long.clone().max_by_key(|raw| raw.bytes.len())?;
    Some(format!(
        "{} of {} seeds are cut off: they are longer than {}; the longest, {}, has {} bytes",
        long.count(),
        raw.len(),
        target.name(),
        longest.name,
        longest.bytes.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_env::ktest::Object;

    fn test(args: &str, objects: &[(&str, &[u8])]) -> Ktest {
        let words = std::iter::once("p.bc").chain(args.split_terminator(' '));
        let objects = objects.iter().map(|(name, bytes)| Object {
            name: (*name).into(),
            bytes: bytes.to_vec(),
        });
        Ktest {
            args: words.map(|word| word.as_bytes().to_vec()).collect(),
            objects: objects.collect(),
        }
    }

    #[test]
    fn inputs_are_taken_from_where_fuzzers_put_them() {
        let both: &[(&str, &[u8])] = &[("arg00", b"-x\0"), ("A_data", b"in A"), ("stdin", b"in")];
        let input = |args: &str, objects| input_of(&test(args, objects));
        assert_eq!(
            input("--sym-files 1 4 --sym-stdin 2", both),
            Ok(b"in".to_vec())
        );
        assert_eq!(input("--sym-files 1 4", both), Ok(b"in A".to_vec()));
        let harness: &[(&str, &[u8])] = &[("fuzz_size", &[3]), ("fuzz_data", b"abcd")];
        assert_eq!(input("", harness), Ok(b"abc".to_vec()));
        assert!(input("--sym-arg 2", both).is_err());
    }

    #[test]
    fn a_seed_is_taken_back_as_it_was() {
        for place in [Place::Harness, Place::Stdin, Place::File("A".into())] {
            let target = Target { place, size: 4 };
            for (bytes, kept) in [(&b"abc"[..], &b"abc"[..]), (b"abcdef", b"abcd"), (b"", b"")] {
                let seed = target.seed(bytes);
                let objects = seed.objects.iter();
                let objects = objects.map(|(name, bytes)| (name.as_str(), &bytes[..]));
                assert_eq!(target.bytes_in(objects).as_deref(), Some(kept));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let target = Target {
            place: Place::Stdin,
            size: 2,
        };
        let raw = |name: &str, bytes: &[u8]| Raw {
            name: name.into(),
            bytes: bytes.to_vec(),
        };
        assert_eq!(cut_off(&target, &[raw("a", b"12")]), None);
        let said = cut_off(
            &target,
            &[raw("a", b"12"), raw("b", b"123"), raw("c", b"1234")],
        );
        assert_eq!(
            said.as_deref(),
            Some(
                "2 of 3 seeds are cut off: they are longer than standard input (2 bytes); the \
                 longest, c, has 4 bytes"
            )
        );
    }
}

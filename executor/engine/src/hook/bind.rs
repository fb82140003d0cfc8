//! Binding what hooks want to hear to the program: names become functions, lines become
//! instructions. What does not exist is an error that says what does.

use super::interest::{Interest, Location, Watched};
use plat_program::{FuncId, Function, InstId, Program};
use std::collections::BTreeSet;
use std::fmt;

/// Names that an error offers at most.
const OFFERED: usize = 5;

/// Why a hook or a native function cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BindError {
    /// The program has no function of this name.
    NoFunction {
        /// Whose error it is: the name of the hook or native function.
        who: String,
        /// The name.
        name: String,
        /// Functions with similar names.
        similar: Vec<String>,
    },
    /// A function has another number of parameters.
    Parameters {
        /// Whose error it is.
        who: String,
        /// The function.
        function: String,
        /// The number that was given.
        given: usize,
        /// The number that it has.
        has: usize,
    },
    /// A function has no such instruction or block.
    NoPosition {
        /// Whose error it is.
        who: String,
        /// The location.
        location: Location,
        /// How many instructions or blocks the function has.
        has: usize,
    },
    /// No source file of the program has this name.
    NoFile {
        /// Whose error it is.
        who: String,
        /// The name.
        file: String,
        /// Files that the program was compiled from.
        known: Vec<String>,
    },
    /// A line has no code.
    NoCode {
        /// Whose error it is.
        who: String,
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The lines with code that are closest.
        near: Vec<u32>,
    },
    /// Two native functions have the same name.
    Twice {
        /// The name.
        name: String,
    },
}

/// `; known are a, b`, if there are any.
fn offer<T: fmt::Display>(what: &str, known: &[T]) -> String {
    match known {
        [] => String::new(),
        known => {
            let known: Vec<String> = known.iter().map(T::to_string).collect();
            format!("; {what} {}", known.join(", "))
        }
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindError::NoFunction { who, name, similar } => {
                let similar = offer("similar names are", similar);
                write!(out, "{who}: the program has no function {name}{similar}")
            }
            BindError::Parameters {
                who,
                function,
                given,
                has,
            } => write!(
                out,
                "{who}: {function} has {has} parameters and not {given}"
            ),
            BindError::NoPosition { who, location, has } => {
                let parts = match location {
                    Location::Block { .. } => "blocks",
                    _ => "instructions",
                };
                write!(
                    out,
                    "{who}: there is no {location}, which has {has} {parts}"
                )
            }
            BindError::NoFile { who, file, known } => {
                let known = offer("known are", known);
                write!(out, "{who}: no code comes from a file {file}{known}")
            }
            BindError::NoCode {
                who,
                file,
                line,
                near,
            } => {
                let near = offer("the lines with code that are closest are", near);
                write!(out, "{who}: {file}:{line} has no code{near}")
            }
            BindError::Twice { name } => {
                write!(out, "two native functions are called {name}")
            }
        }
    }
}

impl std::error::Error for BindError {}

/// A function, by its name.
pub(super) fn function<'p>(
    program: &'p Program,
    who: &str,
    name: &str,
) -> Result<&'p Function, BindError> {
    program
        .function_named(name)
        .ok_or_else(|| BindError::NoFunction {
            who: who.to_string(),
            name: name.to_string(),
            similar: similar(program, name),
        })
}

/// A function that is watched.
pub(super) fn watched(
    program: &Program,
    who: &str,
    watched: &Watched,
) -> Result<FuncId, BindError> {
    let function = function(program, who, &watched.name)?;
    match watched.parameters {
        Some(given) => with_parameters(who, function, given),
        None => Ok(function.id),
    }
}

/// A function that has so many parameters.
pub(super) fn with_parameters(
    who: &str,
    function: &Function,
    given: usize,
) -> Result<FuncId, BindError> {
    let has = function.params.len();
    if has == given {
        return Ok(function.id);
    }
    Err(BindError::Parameters {
        who: who.to_string(),
        function: function.name.clone(),
        given,
        has,
    })
}

/// Functions whose names contain a name, or are contained in it, the shortest first: mangled names
/// contain the name of the source.
fn similar(program: &Program, name: &str) -> Vec<String> {
    let close = |known: &str| !known.is_empty() && (known.contains(name) || name.contains(known));
    let names = program.functions.iter().map(|function| &function.name);
    let mut names: Vec<&String> = names.filter(|known| close(known)).collect();
    names.sort_by_key(|known| (known.len(), *known));
    names.into_iter().take(OFFERED).cloned().collect()
}

/// The instructions at which a location is reached.
pub(super) fn location(
    program: &Program,
    who: &str,
    location: &Location,
) -> Result<Vec<InstId>, BindError> {
    match location {
        Location::Instruction {
            function: name,
            position,
        } => {
            let function = function(program, who, name)?;
            let (at, has) = (*position as usize, function.insts.len());
            position_of(who, location, at < has, has, || {
                function.first_inst.index() + at
            })
        }
        Location::Block {
            function: name,
            block,
        } => {
            let function = function(program, who, name)?;
            let (at, has) = (*block as usize, function.blocks.len());
            position_of(who, location, at < has, has, || {
                function.first_inst.index() + function.blocks[at].first as usize
            })
        }
        Location::Line { file, line } => lines(program, who, file, *line),
    }
}

fn position_of(
    who: &str,
    location: &Location,
    exists: bool,
    has: usize,
    inst: impl FnOnce() -> usize,
) -> Result<Vec<InstId>, BindError> {
    match exists {
        true => Ok(vec![InstId::new(inst())]),
        false => Err(BindError::NoPosition {
            who: who.to_string(),
            location: location.clone(),
            has,
        }),
    }
}

/// Whether a path ends in another one, at the border of a name.
fn ends_in(path: &str, file: &str) -> bool {
    let rest = path.strip_suffix(file);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || file.starts_with('/'))
}

/// The first instructions of all stretches of instructions of a line within a block.
fn lines(program: &Program, who: &str, file: &str, line: u32) -> Result<Vec<InstId>, BindError> {
    let (mut found, mut of_file, mut files) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for function in &program.functions {
        for block in &function.blocks {
            let mut before = false;
            for at in block.first..block.first + block.len {
                let Some(&location) = function.locs.get(at as usize) else {
                    continue;
                };
                let location = program.location(location);
                if location.line == 0 {
                    continue;
                }
                files.insert(location.file.as_str());
                let here = ends_in(&location.file, file);
                if here {
                    of_file.insert(location.line);
                }
                let on_line = here && location.line == line;
                if on_line && !before {
                    found.push(InstId::new(function.first_inst.index() + at as usize));
                }
                before = on_line;
            }
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let (who, file) = (who.to_string(), file.to_string());
    if of_file.is_empty() {
        let known = files.into_iter().take(OFFERED).map(str::to_string);
        let known = known.collect();
        return Err(BindError::NoFile { who, file, known });
    }
    let below = of_file.range(..line).next_back();
    let above = of_file.range(line..).next();
    let near = below.into_iter().chain(above).copied().collect();
    Err(BindError::NoCode {
        who,
        file,
        line,
        near,
    })
}

/// The parts of the program that hooks watch.
#[derive(Clone, Default, Debug)]
pub(crate) struct Bound {
    pub started: Vec<usize>,
    pub forked: Vec<usize>,
    pub resolved: Vec<usize>,
    /// With the kinds that each wants.
    pub accessed: Vec<(usize, super::Accesses)>,
    pub called_indirectly: Vec<usize>,
    pub ended: Vec<usize>,
    pub decisions: Vec<usize>,
    pub allocations: Vec<usize>,
    /// With the kinds that each wants.
    pub watched_accesses: Vec<(usize, super::Accesses)>,
    pub watched_splits: Vec<usize>,
    pub calls: rustc_hash::FxHashMap<FuncId, Vec<usize>>,
    pub returns: rustc_hash::FxHashMap<FuncId, Vec<usize>>,
    /// With the location as the hook has it.
    pub places: rustc_hash::FxHashMap<InstId, Vec<(usize, Location)>>,
    /// Functions with instructions in `places`.
    pub functions: rustc_hash::FxHashSet<FuncId>,
}

impl Bound {
    /// Adds what the hook of this number wants to hear.
    pub fn add(
        &mut self,
        program: &Program,
        hook: usize,
        who: &str,
        interest: &Interest,
    ) -> Result<(), BindError> {
        let lists = [
            (interest.start, &mut self.started),
            (interest.forks, &mut self.forked),
            (interest.resolutions, &mut self.resolved),
            (interest.indirect_calls, &mut self.called_indirectly),
            (interest.ends, &mut self.ended),
            (interest.decisions, &mut self.decisions),
            (interest.allocations, &mut self.allocations),
            (interest.watched_splits, &mut self.watched_splits),
        ];
        for (wanted, list) in lists {
            list.extend(wanted.then_some(hook));
        }
        if interest.accesses != super::Accesses::default() {
            self.accessed.push((hook, interest.accesses));
        }
        if interest.watched_accesses != super::Accesses::default() {
            self.watched_accesses
                .push((hook, interest.watched_accesses));
        }
        for one in &interest.calls {
            let function = watched(program, who, one)?;
            self.calls.entry(function).or_default().push(hook);
        }
        for one in &interest.returns {
            let function = watched(program, who, one)?;
            self.returns.entry(function).or_default().push(hook);
        }
        for one in &interest.locations {
            for inst in location(program, who, one)? {
                self.functions.insert(program.position(inst).0);
                let known = self.places.entry(inst).or_default();
                known.push((hook, one.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ends_in;

    #[test]
    fn a_file_is_named_by_the_end_of_its_path() {
        assert!(ends_in("src/parse.c", "parse.c") && ends_in("parse.c", "parse.c"));
        assert!(ends_in("/a/src/parse.c", "src/parse.c") && ends_in("/a/b.c", "/b.c"));
        assert!(!ends_in("src/reparse.c", "parse.c") && !ends_in("parse.c", "src/parse.c"));
    }
}

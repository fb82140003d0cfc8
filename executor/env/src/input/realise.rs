//! Makes the argument list, files and symbolic objects from a specification of input.

use super::{
    ArgSpec, COMMAND_OBJECT, CommandOutput, Commands, InputError, InputSpec, MAX_COMMAND_OUTPUT,
    PROGRAM_ENVIRONMENT, Source, SystemResult, peer_name, server_name,
};
use crate::contents::Contents;
use crate::environment::{FailingAllocation, Failures};
use crate::symbolic_status::{FileName, OUTPUT_SIZE, STATUS_SIZE, Statuses, SymbolicStatus};
use plat_expr::{Assignment, Byte, EvalMemo, ExprId, IntPredicate, Pool};
use std::path::PathBuf;

/// One choice of the numbers of arguments: a count for each `--sym-args`, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Alternative {
    /// The counts.
    pub counts: Vec<u32>,
}

/// An object of the test case. Concrete bytes are part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputObject {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Contents,
}

/// The input of one alternative.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The arguments, the name of the program first; each ends in a zero byte.
    pub argv: Vec<Vec<Byte>>,
    /// The environment variables, each without a zero byte.
    pub variables: Vec<Vec<u8>>,
    /// The files of the working directory.
    pub files: Vec<(Vec<u8>, Contents)>,
    /// Standard input.
    pub stdin: Contents,
    /// What each peer outside sends.
    pub peers: Vec<Contents>,
    /// What each of those sends that only answer.
    pub servers: Vec<Contents>,
    /// What comes of programs that the program starts.
    pub commands: Commands,
    /// Whether random numbers are symbolic.
    pub random: bool,
    /// What is symbolic of the status of files.
    pub statuses: Statuses,
    /// Injected failures.
    pub failures: Option<Failures>,
    /// An allocation that may fail.
    pub failing_allocation: Option<FailingAllocation>,
    /// The objects of the test case that come before the program's own. Their symbolic bytes are
    /// bytes of the first symbol of the object's name.
    pub objects: Vec<InputObject>,
    /// Conditions that the symbolic bytes satisfy.
    pub constraints: Vec<ExprId>,
    /// Conditions that a test case should satisfy if it can: arguments are printable.
    pub preferences: Vec<ExprId>,
    /// Whether anything is symbolic: a byte, or the number of arguments.
    pub symbolic: bool,
}

plat_expr::holder!(Inputs {
    argv, files, stdin, peers, servers, statuses, failures, failing_allocation, constraints, preferences,
} plain { variables, objects, symbolic, commands, random });

impl InputSpec {
    /// All choices of the numbers of arguments, the smallest first. There is at least one.
    pub fn alternatives(&self) -> Vec<Alternative> {
        let mut all = vec![Alternative::default()];
        for arg in &self.args {
            let ArgSpec::SymbolicList { min, max, .. } = *arg else {
                continue;
            };
            let longer = all.iter().flat_map(|shorter| {
                (min..=max).map(|count| {
                    let mut counts = shorter.counts.clone();
                    counts.push(count);
                    Alternative { counts }
                })
            });
            all = longer.collect();
        }
        all
    }
}

impl InputObject {
    /// The bytes of the object under an assignment of the symbols.
    pub fn evaluate(&self, pool: &Pool, assignment: &Assignment, memo: &mut EvalMemo) -> Vec<u8> {
        self.bytes
            .evaluate(|expr| pool.eval(expr, assignment, memo) as u8)
    }
}

/// Make the input of one alternative for a program of this name. Symbols are interned: alternatives
/// share them.
pub fn realise(
    spec: &InputSpec,
    alternative: &Alternative,
    program: &[u8],
    pool: &mut Pool,
) -> Result<Inputs, InputError> {
    let mut making = InputBuilder {
        spec,
        pool,
        inputs: Inputs::default(),
    };
    making.inputs.variables = PROGRAM_ENVIRONMENT
        .iter()
        .map(|v| v.as_bytes().to_vec())
        .collect();
    making.concrete_arg(program);
    making.arguments(alternative);
    for index in 0..spec.sym_files.map_or(0, |(count, _)| count) {
        let size = spec.sym_files.map_or(0, |(_, size)| size);
        let name = char::from(b'A' + index as u8).to_string();
        making.file(&name, &Source::Symbolic(size))?;
    }
    for file in &spec.files {
        making.file(&file.name, &file.source)?;
    }
    if let Some(source) = &spec.stdin {
        making.inputs.stdin = making.source("stdin", source)?;
    }
    if let Some((count, size)) = spec.sym_sockets {
        for number in 0..count {
            let name = peer_name(number);
            let peer = making.source(&name, &Source::Symbolic(size))?;
            making.inputs.peers.push(peer);
        }
    }
    if let Some((count, size)) = spec.sym_servers {
        for number in 0..count {
            let name = server_name(number);
            let server = making.source(&name, &Source::Symbolic(size))?;
            making.inputs.servers.push(server);
        }
    }
    making.commands()?;
    making.inputs.random = spec.sym_rand;
    making.inputs.symbolic |= spec.system_result == Some(SystemResult::Symbolic) || spec.sym_rand;
    if spec.max_fail > 0 {
        making.failures();
    }
    if spec.fail_malloc {
        making.failing_allocation();
    }
    if spec.sym_stdout {
        making.output();
    }
    making.inputs.statuses.as_klee = spec.as_klee;
    if spec.as_klee {
        making.statuses();
    }
    Ok(making.inputs)
}

struct InputBuilder<'a> {
    spec: &'a InputSpec,
    pool: &'a mut Pool,
    inputs: Inputs,
}

impl InputBuilder<'_> {
    fn concrete_arg(&mut self, bytes: &[u8]) {
        let bytes = bytes
            .iter()
            .chain([&0])
            .map(|&byte| Byte::Concrete(byte))
            .collect();
        self.inputs.argv.push(bytes);
    }

    fn object(&mut self, name: &str, bytes: Contents) {
        let name = name.to_string();
        self.inputs.objects.push(InputObject { name, bytes });
    }

    /// `size` symbolic bytes of the symbol `name`.
    fn symbolic(&mut self, name: &str, size: u64) -> Vec<Byte> {
        self.inputs.symbolic = true;
        let symbol = self.pool.symbol(name, 0, size as u32);
        (0..size as u32)
            .map(|at| Byte::of_symbol(self.pool, symbol, at))
            .collect()
    }

    fn arguments(&mut self, alternative: &Alternative) {
        let mut counts = alternative.counts.iter();
        let mut next = 0;
        for arg in &self.spec.args {
            let (count, size) = match arg {
                ArgSpec::Concrete(bytes) => {
                    self.concrete_arg(bytes);
                    continue;
                }
                ArgSpec::Symbolic { size } => (1, *size),
                ArgSpec::SymbolicList { min, size, .. } => {
                    let count = counts.next().copied().unwrap_or(*min);
                    let bytes = count.to_le_bytes().map(Byte::Concrete);
                    self.inputs.symbolic = true;
                    self.object("n_args", Contents::from_bytes(&bytes));
                    (count, *size)
                }
            };
            for _ in 0..count {
                self.symbolic_arg(next, size);
                next += 1;
            }
        }
    }

    fn symbolic_arg(&mut self, number: u32, size: u32) {
        let name = format!("arg{number:02}");
        let mut bytes = self.symbolic(&name, u64::from(size) + 1);
        bytes.pop();
        for &byte in &bytes {
            let conditions = self.between(byte, 32, 126);
            self.inputs.preferences.extend(conditions);
        }
        bytes.push(Byte::Concrete(0));
        self.object(&name, Contents::from_bytes(&bytes));
        self.inputs.argv.push(bytes);
    }

    /// The conditions that a byte is in a range.
    fn between(&mut self, byte: Byte, low: u8, high: u8) -> Vec<ExprId> {
        let Byte::Symbolic(byte) = byte else {
            return Vec::new();
        };
        let low = self.pool.constant(8, low.into());
        let high = self.pool.constant(8, high.into());
        let bounds = [
            self.pool.compare(IntPredicate::Uge, byte, low),
            self.pool.compare(IntPredicate::Ule, byte, high),
        ];
        bounds
            .into_iter()
            .filter(|&bound| !self.pool.is_true(bound))
            .collect()
    }

    /// What comes of other programs. What they print is an object of its own each time, unless no byte
    /// of it is symbolic.
    fn commands(&mut self) -> Result<(), InputError> {
        self.inputs.commands.result = self.spec.system_result;
        let mark = self.spec.mark;
        let bytes: Vec<Option<u8>> = match &self.spec.command_output {
            None => return Ok(()),
            Some(Source::Symbolic(size)) => vec![None; *size as usize],
            Some(Source::Template(bytes)) => {
                let bytes = bytes.iter();
                bytes.map(|&byte| (byte != mark).then_some(byte)).collect()
            }
            Some(Source::Concrete(bytes)) => bytes.iter().copied().map(Some).collect(),
            Some(Source::TemplateFile(path)) => return Err(unread(path)),
        };
        if bytes.len() as u64 > MAX_COMMAND_OUTPUT {
            let text = format!("--command-output: no more than {MAX_COMMAND_OUTPUT} bytes");
            return Err(InputError::Invalid(text));
        }
        match bytes.iter().copied().collect::<Option<Vec<u8>>>() {
            Some(bytes) if bytes.is_empty() => {}
            Some(bytes) => self.object(COMMAND_OBJECT, Contents::shared(bytes.into())),
            None => self.inputs.symbolic = true,
        }
        self.inputs.commands.output = Some(CommandOutput {
            bytes: bytes.into(),
            range: self.spec.range,
        });
        Ok(())
    }

    fn file(&mut self, name: &str, source: &Source) -> Result<(), InputError> {
        let contents = self.source(&format!("{name}_data"), source)?;
        self.inputs.files.push((name.as_bytes().to_vec(), contents));
        Ok(())
    }

    /// The contents of an input, whose object is called `name`.
    fn source(&mut self, name: &str, source: &Source) -> Result<Contents, InputError> {
        let bytes = match source {
            // A template without marks is concrete.
            Source::Template(bytes) if !bytes.contains(&self.spec.mark) => {
                return self.source(name, &Source::Concrete(bytes.clone()));
            }
            Source::Concrete(bytes) => {
                let contents = Contents::shared(bytes.clone());
                self.object(name, contents.clone());
                return Ok(contents);
            }
            Source::Symbolic(size) => self.symbolic(name, *size),
            Source::Template(bytes) => self.template(name, bytes),
            Source::TemplateFile(path) => return Err(unread(path)),
        };
        let contents = Contents::from_bytes(&bytes);
        self.object(name, contents.clone());
        Ok(contents)
    }

    fn template(&mut self, name: &str, template: &[u8]) -> Vec<Byte> {
        let symbolic = self.symbolic(name, template.len() as u64);
        let mut bytes = Vec::with_capacity(template.len());
        for (&concrete, symbolic) in template.iter().zip(symbolic) {
            if concrete != self.spec.mark {
                bytes.push(Byte::Concrete(concrete));
                continue;
            }
            if let Some((low, high)) = self.spec.range {
                let conditions = self.between(symbolic, low, high);
                self.inputs.constraints.extend(conditions);
            }
            bytes.push(symbolic);
        }
        bytes
    }

    /// The objects of a symbolic standard output. They do not hold the bytes written.
    fn output(&mut self) {
        let contents = self.symbolic("stdout", OUTPUT_SIZE);
        self.object("stdout", Contents::from_bytes(&contents));
        let (status, bytes) = self.status("stdout", OUTPUT_SIZE);
        self.object("stdout_stat", bytes);
        self.inputs.statuses.output = Some(status);
    }

    /// A symbolic status of an input, and its object.
    fn status(&mut self, name: &str, size: u64) -> (SymbolicStatus, Contents) {
        let bytes = self.symbolic(&format!("{name}_stat"), STATUS_SIZE);
        let status = SymbolicStatus::new(&bytes, size);
        let constraints = status.constraints(self.pool);
        self.inputs.constraints.extend(constraints);
        (status, Contents::from_bytes(&bytes))
    }

    /// The symbolic status of each input that is symbolic as a whole, its object behind that of its bytes.
    fn statuses(&mut self) {
        let mut wanted = Vec::new();
        if let Some((count, size)) = self.spec.sym_files {
            let names = (0..count).map(|index| char::from(b'A' + index as u8).to_string());
            let files = names.map(|name| {
                (
                    format!("{name}_data"),
                    FileName::Named(name.into_bytes()),
                    size,
                )
            });
            wanted.extend(files);
        }
        if let Some(Source::Symbolic(size)) = self.spec.stdin {
            wanted.push(("stdin".to_string(), FileName::Input, size));
        }
        let mut files = Vec::new();
        for (object, file, size) in wanted.into_iter().filter(|&(.., size)| size > 0) {
            let (status, bytes) = self.status(&object, size);
            let objects = &mut self.inputs.objects;
            if let Some(at) = objects.iter().position(|one| one.name == object) {
                let name = format!("{object}_stat");
                objects.insert(at + 1, InputObject { name, bytes });
            }
            files.push((file, status));
        }
        self.inputs.statuses.files = files.into();
    }

    /// The ordinals of the calls that fail: one 32-bit number for each kind.
    fn failures(&mut self) {
        let names = [
            "read_fail",
            "write_fail",
            "close_fail",
            "ftruncate_fail",
            "getcwd_fail",
        ];
        let ordinals = names.map(|name| self.ordinal(name));
        self.inputs.failures = Some(Failures {
            left: self.spec.max_fail,
            ordinals,
            calls: [0; 5],
        });
    }

    fn failing_allocation(&mut self) {
        self.inputs.failing_allocation = Some(FailingAllocation {
            ordinal: self.ordinal("malloc_fail"),
            calls: 0,
            done: false,
        });
    }

    /// The ordinal of a call that fails, in an object of its own.
    fn ordinal(&mut self, name: &str) -> ExprId {
        let bytes = self.symbolic(name, 4);
        self.object(name, Contents::from_bytes(&bytes));
        let mut number = None;
        for byte in bytes {
            let Byte::Symbolic(byte) = byte else { continue };
            number = Some(match number {
                None => byte,
                Some(low) => self.pool.concat(byte, low),
            });
        }
        number.unwrap_or_else(|| self.pool.constant(32, 0))
    }
}

fn unread(path: &std::path::Path) -> InputError {
    InputError::Template(PathBuf::from(path), "it was not read".into())
}

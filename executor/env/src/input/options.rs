//! The options of symbolic input, among the arguments of the program.

use super::{
    ArgSpec, FileSpec, InputError, InputSpec, MAX_COMMAND_OUTPUT, MAX_SYMBOLIC_ARGS,
    MAX_SYMBOLIC_PEERS, MAX_SYMBOLIC_SIZE, Source, SystemResult,
};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A cursor over the arguments.
struct Words<'a> {
    rest: std::slice::Iter<'a, Vec<u8>>,
    symbolic: u32,
}

/// What an option changes.
type Change = fn(&mut InputSpec, &mut Words<'_>) -> Result<(), InputError>;

/// The options, sorted; each may be written with one or two dashes.
static OPTIONS: &[(&str, Change)] = &[
    ("bout-file", |_, words| {
        words.next("--bout-file expects a file name").map(|_| ())
    }),
    ("command-output", command_output),
    ("fail-malloc", |spec, _| {
        spec.fail_malloc = true;
        Ok(())
    }),
    ("fd-fail", |spec, _| {
        spec.max_fail = 1;
        Ok(())
    }),
    ("file-template", file_template),
    ("max-fail", |spec, words| {
        let text = "--max-fail expects an integer argument <max-failures>";
        spec.max_fail = words.number(text)?;
        Ok(())
    }),
    ("save-all-writes", |_, _| Ok(())),
    ("stdin-template", |spec, words| {
        let path = words.next("--stdin-template expects a file name")?;
        set_stdin(spec, Source::TemplateFile(to_path(path)))
    }),
    ("sym-arg", sym_arg),
    ("sym-args", sym_args),
    ("sym-files", sym_files),
    ("sym-rand", |spec, _| {
        spec.sym_rand = true;
        Ok(())
    }),
    ("sym-server", sym_server),
    ("sym-servers", sym_servers),
    ("sym-socket", sym_socket),
    ("sym-sockets", sym_sockets),
    ("sym-stdin", sym_stdin),
    ("sym-stdout", |spec, _| {
        spec.sym_stdout = true;
        Ok(())
    }),
    ("system-result", system_result),
    ("template-byte", template_byte),
    ("template-range", template_range),
];

/// Read the arguments of a program, without its name. Options of symbolic input (one or two dashes)
/// describe input; every other word is an argument of the program and stays in its place.
///
/// `--sym-arg N`, `--sym-args MIN MAX N`, `--sym-files NUM N`, `--sym-stdin N`, `--sym-stdin FILE`
/// (a template), `--sym-socket N`, `--sym-sockets NUM N`, `--sym-server N`, `--sym-servers NUM N`, `--system-result N|symbolic`, `--command-output N|FILE`, `--sym-stdout`, `--save-all-writes`, `--max-fail N`, `--fd-fail`, `--fail-malloc`, `--sym-rand`, `--bout-file F`
/// (skipped), `--stdin-template FILE`, `--file-template NAME=FILE`, `--template-byte C`,
/// `--template-range LO..HI`.
pub fn parse_posix_options(args: &[Vec<u8>]) -> Result<InputSpec, InputError> {
    let mut spec = InputSpec::default();
    let mut words = Words {
        rest: args.iter(),
        symbolic: 0,
    };
    while let Some(word) = words.rest.next() {
        let name = word.strip_prefix(b"--").or(word.strip_prefix(b"-"));
        let option = name.and_then(|name| OPTIONS.iter().find(|(text, _)| text.as_bytes() == name));
        match option {
            Some((_, change)) => change(&mut spec, &mut words)?,
            None => spec.args.push(ArgSpec::Concrete(word.clone())),
        }
    }
    if spec.command_output.is_some() {
        // They print what they are to, and end well.
        spec.system_result.get_or_insert(SystemResult::Status(0));
    }
    Ok(spec)
}

impl<'a> Words<'a> {
    fn next(&mut self, expects: &'static str) -> Result<&'a [u8], InputError> {
        self.rest
            .next()
            .map(|word| &word[..])
            .ok_or(InputError::Expects(expects))
    }

    fn number(&mut self, expects: &'static str) -> Result<u32, InputError> {
        number(self.next(expects)?).ok_or(InputError::Expects(expects))
    }

    fn count_symbolic(&mut self, count: u32) -> Result<(), InputError> {
        self.symbolic = self.symbolic.saturating_add(count);
        if self.symbolic > MAX_SYMBOLIC_ARGS {
            return Err(InputError::TooManyArguments);
        }
        Ok(())
    }
}

fn number(word: &[u8]) -> Option<u32> {
    let digits = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    if digits {
        str::from_utf8(word).ok()?.parse().ok()
    } else {
        None
    }
}

fn to_path(word: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(word))
}

fn checked_size(option: &str, size: u64) -> Result<u64, InputError> {
    if size > MAX_SYMBOLIC_SIZE {
        let text = format!("{option}: no more than {MAX_SYMBOLIC_SIZE} symbolic bytes are allowed");
        return Err(InputError::Invalid(text));
    }
    Ok(size)
}

fn set_stdin(spec: &mut InputSpec, source: Source) -> Result<(), InputError> {
    if spec.stdin.is_some() {
        return Err(InputError::Twice("--sym-stdin or --stdin-template"));
    }
    spec.stdin = Some(source);
    Ok(())
}

fn sym_arg(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let size = words.number("--sym-arg expects an integer argument <max-len>")?;
    checked_size("--sym-arg", size.into())?;
    words.count_symbolic(1)?;
    spec.args.push(ArgSpec::Symbolic { size });
    Ok(())
}

fn sym_args(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--sym-args expects three integer arguments <min-argvs> <max-argvs> <max-len>";
    let (min, max, size) = (
        words.number(text)?,
        words.number(text)?,
        words.number(text)?,
    );
    if min > max || max == 0 {
        let text = format!("Invalid range to --sym-args: {min} {max}; at least 1 argument at most");
        return Err(InputError::Invalid(text));
    }
    checked_size("--sym-args", size.into())?;
    words.count_symbolic(max)?;
    spec.args.push(ArgSpec::SymbolicList { min, max, size });
    Ok(())
}

fn sym_files(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--sym-files expects two integer arguments <no-sym-files> <sym-file-len>";
    let (count, size) = (words.number(text)?, words.number(text)?);
    if spec.sym_files.is_some() {
        return Err(InputError::Twice("--sym-files"));
    }
    if (count, size) == (0, 0) {
        return Ok(()); // none, as some scripts pass
    }
    if count == 0 {
        let text = "The first argument to --sym-files (number of files) cannot be 0";
        return Err(InputError::Invalid(text.into()));
    }
    if count > 26 {
        let text = "the first argument to --sym-files (number of files) must be 1 to 26";
        return Err(InputError::Invalid(text.into()));
    }
    if size == 0 {
        let text = "The second argument to --sym-files (file size) cannot be 0";
        return Err(InputError::Invalid(text.into()));
    }
    spec.sym_files = Some((count, checked_size("--sym-files", size.into())?));
    Ok(())
}

fn sym_socket(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let size = words.number("--sym-socket expects an integer argument <sym-socket-len>")?;
    set_peers(&mut spec.sym_sockets, "--sym-socket", 1, size)
}

fn sym_sockets(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--sym-sockets expects two integer arguments <no-sym-sockets> <sym-socket-len>";
    let (count, size) = (words.number(text)?, words.number(text)?);
    set_peers(&mut spec.sym_sockets, "--sym-socket", count, size)
}

fn sym_server(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let size = words.number("--sym-server expects an integer argument <sym-server-len>")?;
    set_peers(&mut spec.sym_servers, "--sym-server", 1, size)
}

fn sym_servers(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--sym-servers expects two integer arguments <no-sym-servers> <sym-server-len>";
    let (count, size) = (words.number(text)?, words.number(text)?);
    set_peers(&mut spec.sym_servers, "--sym-server", count, size)
}

fn system_result(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--system-result expects an exit status 0 to 255, or symbolic";
    let result = match words.next(text)? {
        b"symbolic" => SystemResult::Symbolic,
        word => {
            let status = number(word).and_then(|status| u8::try_from(status).ok());
            SystemResult::Status(status.ok_or(InputError::Expects(text))?)
        }
    };
    spec.system_result = Some(result);
    Ok(())
}

/// A number is a size, anything else the file of a template.
fn command_output(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--command-output expects a size, or the name of a file that starts with no digit";
    let word = words.next(text)?;
    let source = match number(word) {
        Some(size) if u64::from(size) > MAX_COMMAND_OUTPUT => {
            let text = format!("--command-output: no more than {MAX_COMMAND_OUTPUT} bytes");
            return Err(InputError::Invalid(text));
        }
        Some(size) => Source::Symbolic(size.into()),
        None if word.first().is_none_or(u8::is_ascii_digit) => {
            return Err(InputError::Expects(text));
        }
        None => Source::TemplateFile(to_path(word)),
    };
    match spec.command_output.replace(source) {
        Some(_) => Err(InputError::Twice("--command-output")),
        None => Ok(()),
    }
}

/// The peers of a kind: `option` makes one of them, and `option` with an s several.
fn set_peers(
    peers: &mut Option<(u32, u64)>,
    option: &'static str,
    count: u32,
    size: u32,
) -> Result<(), InputError> {
    let invalid = |text: String| Err(InputError::Invalid(text));
    if peers.is_some() {
        return Err(InputError::Twice(option));
    }
    if !(1..=MAX_SYMBOLIC_PEERS).contains(&count) {
        return invalid(format!(
            "the first argument to {option}s (number of connections) must be 1 to {MAX_SYMBOLIC_PEERS}"
        ));
    }
    if size == 0 {
        return invalid(format!("the length of {option} cannot be 0"));
    }
    *peers = Some((count, checked_size(option, size.into())?));
    Ok(())
}

/// A number is a size, anything else the file of a template.
fn sym_stdin(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let word = words.next("--sym-stdin expects one argument <sym-stdin-len> or <template-file>")?;
    let source = match number(word) {
        Some(size) => Source::Symbolic(checked_size("--sym-stdin", size.into())?),
        None if word.first().is_some_and(u8::is_ascii_digit) => {
            let text =
                "--sym-stdin expects a size, or the name of a file that starts with no digit";
            return Err(InputError::Expects(text));
        }
        None => Source::TemplateFile(to_path(word)),
    };
    set_stdin(spec, source)
}

fn file_template(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--file-template expects NAME=FILE";
    let word = words.next(text)?;
    let at = word
        .iter()
        .position(|&byte| byte == b'=')
        .ok_or(InputError::Expects(text))?;
    let name = str::from_utf8(&word[..at]).map_err(|_| InputError::Expects(text))?;
    if name.is_empty() || at + 1 == word.len() {
        return Err(InputError::Expects(text));
    }
    let source = Source::TemplateFile(to_path(&word[at + 1..]));
    spec.files.push(FileSpec {
        name: name.to_string(),
        source,
    });
    Ok(())
}

fn template_byte(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--template-byte expects one character";
    match words.next(text)? {
        &[byte] => spec.mark = byte,
        _ => return Err(InputError::Expects(text)),
    }
    Ok(())
}

fn template_range(spec: &mut InputSpec, words: &mut Words<'_>) -> Result<(), InputError> {
    let text = "--template-range expects two characters LO..HI in order";
    match words.next(text)? {
        &[low, b'.', b'.', high] if low <= high => spec.range = Some((low, high)),
        _ => return Err(InputError::Expects(text)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<InputSpec, String> {
        let words: Vec<Vec<u8>> = text
            .split_whitespace()
            .map(|w| w.as_bytes().to_vec())
            .collect();
        parse_posix_options(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_options_among_arguments() {
        let spec = parse(
            "-f --sym-arg 3 x -sym-args 0 2 4 --sym-files 2 8 -sym-stdin 5 --sym-stdout \
             --save-all-writes --fd-fail --file-template F=dir/f --template-range A..z \
             --template-byte # --bout-file skipped -sym",
        )
        .unwrap();
        let word = |text: &str| ArgSpec::Concrete(text.as_bytes().to_vec());
        let list = ArgSpec::SymbolicList {
            min: 0,
            max: 2,
            size: 4,
        };
        let args = [
            word("-f"),
            ArgSpec::Symbolic { size: 3 },
            word("x"),
            list,
            word("-sym"),
        ];
        assert_eq!(spec.args, args);
        assert_eq!(spec.sym_files, Some((2, 8)));
        assert_eq!(spec.stdin, Some(Source::Symbolic(5)));
        assert_eq!(
            (spec.max_fail, spec.mark, spec.range),
            (1, b'#', Some((b'A', b'z')))
        );
        let source = Source::TemplateFile("dir/f".into());
        assert_eq!(
            spec.files,
            [FileSpec {
                name: "F".into(),
                source
            }]
        );
        let template = parse("-sym-files 1 1 -sym-stdin m4.input -H37 -G").unwrap();
        assert_eq!(
            template.stdin,
            Some(Source::TemplateFile("m4.input".into()))
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let errors = [
            (
                "--sym-arg",
                "--sym-arg expects an integer argument <max-len>",
            ),
            (
                "--sym-arg x",
                "--sym-arg expects an integer argument <max-len>",
            ),
            (
                "--sym-arg -1",
                "--sym-arg expects an integer argument <max-len>",
            ),
            ("--sym-args 1 2", "--sym-args expects three integer"),
            ("--sym-args 2 1 5", "Invalid range to --sym-args: 2 1"),
            ("--sym-args 0 0 5", "Invalid range to --sym-args: 0 0"),
            ("--sym-args 0 101 5", "No more than 100 symbolic arguments"),
            ("--sym-files 0 5", "The first argument to --sym-files"),
            ("--sym-files 1 0", "The second argument to --sym-files"),
            (
                "--sym-files 1 1 --sym-files 1 1",
                "Multiple --sym-files are not allowed",
            ),
            ("--sym-stdin", "--sym-stdin expects one argument"),
            ("--sym-stdin 5x", "--sym-stdin expects a size"),
            (
                "--sym-stdin 5 --stdin-template f",
                "Multiple --sym-stdin or --stdin-template are not allowed",
            ),
            (
                "--sym-arg 9999999",
                "--sym-arg: no more than 1048576 symbolic bytes",
            ),
            ("--file-template A", "--file-template expects NAME=FILE"),
            ("--template-range z..A", "--template-range expects"),
            ("--max-fail", "--max-fail expects an integer argument"),
            ("--command-output", "--command-output expects a size"),
            ("--command-output 3x", "--command-output expects a size"),
            (
                "--command-output 99999",
                "--command-output: no more than 32768",
            ),
            (
                "--command-output 1 --command-output 1",
                "Multiple --command-output",
            ),
        ];
        for (text, message) in errors {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_recorded_is_understood() {
        let spec =
            parse("-x --sym-arg 3 --sym-args 1 2 4 --sym-files 2 8 --max-fail 2 --sym-stdin 5 --command-output 7")
                .unwrap();
        let recorded = spec.recorded_arguments(b"prog.bc");
        assert_eq!(recorded[0], b"prog.bc");
        assert_eq!(parse_posix_options(&recorded[1..]), Ok(spec));
    }

    #[test]
    fn no_symbolic_files_are_no_error() {
        assert_eq!(parse("--sym-files 0 0 x"), parse("x"));
    }

    #[test]
    fn options_are_sorted() {
        assert!(OPTIONS.is_sorted_by_key(|(name, _)| name));
    }
}

//! What the program gets as input.

use crate::args::execution::InputArgs;
use plat::Error;
use plat::input::{self, Kind};
use plat_env::{InputSpec, Source, parse_posix_options};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

/// The options before the program's name and those after it make one description.
/// The command's own standard input is the program's, unless the program itself comes from there
/// (`own`).
pub(super) fn input(
    options: &InputArgs,
    program_args: &[OsString],
    (own, klee): (bool, bool),
) -> Result<InputSpec, Error> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut option = |name: &str, values: &[Vec<u8>]| {
        words.push(name.as_bytes().to_vec());
        words.extend_from_slice(values);
    };
    let number = |value: &u32| value.to_string().into_bytes();
    if let [_, _] = options.sym_files[..] {
        let values: Vec<_> = options.sym_files.iter().map(number).collect();
        option("--sym-files", &values);
    }
    if let Some(count) = &options.sym_stdin {
        option("--sym-stdin", &[number(count)]);
    }
    if let Some(size) = &options.sym_socket {
        option("--sym-socket", &[number(size)]);
    }
    if let [_, _] = options.sym_sockets[..] {
        let values: Vec<_> = options.sym_sockets.iter().map(number).collect();
        option("--sym-sockets", &values);
    }
    if let Some(size) = &options.sym_server {
        option("--sym-server", &[number(size)]);
    }
    if let [_, _] = options.sym_servers[..] {
        let values: Vec<_> = options.sym_servers.iter().map(number).collect();
        option("--sym-servers", &values);
    }
    if let Some(result) = &options.commands.system_result {
        option("--system-result", &[result.clone().into_bytes()]);
    }
    if let Some(output) = &options.commands.command_output {
        option(
            "--command-output",
            &[output.as_os_str().as_bytes().to_vec()],
        );
    }
    if options.sym_rand {
        option("--sym-rand", &[]);
    }
    if let Some(path) = &options.stdin_template {
        option("--stdin-template", &[path.as_os_str().as_bytes().to_vec()]);
    }
    for (name, path) in &options.file_template {
        let value = [name.as_bytes(), b"=", path.as_os_str().as_bytes()].concat();
        option("--file-template", &[value]);
    }
    for values in options.sym_args.chunks(3) {
        option("--sym-args", &values.iter().map(number).collect::<Vec<_>>());
    }
    for count in &options.sym_arg {
        option("--sym-arg", &[number(count)]);
    }
    words.extend(
        program_args
            .iter()
            .map(|arg| arg.as_os_str().as_bytes().to_vec()),
    );
    let mut spec = parse_posix_options(&words).map_err(Error::input)?;
    if let Some(mark) = options.template_byte {
        spec.mark = mark;
    }
    spec.range = options.template_range.or(spec.range);
    spec.as_klee = klee;
    for path in spec.template_files() {
        input::check(path, Kind::Template)?;
    }
    spec.read_templates().map_err(Error::input)?;
    if spec.stdin.is_none() && own {
        spec.stdin = crate::stdin::redirected()?.map(|bytes| Source::Concrete(bytes.into()));
    }
    Ok(spec)
}

//! The options of symbolic input among a program's arguments, one on each line; the last line is
//! the contents of every template. What is recorded in a test case is understood when it is
//! replayed.

#![no_main]

use plat_env::{InputSpec, Source, parse_posix_options, realise};
use plat_expr::Pool;
use std::sync::Arc;

/// More alternatives than a run explores in a moment.
const MANY: u64 = 1_000;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut words: Vec<Vec<u8>> = data
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let template: Arc<[u8]> = words.pop().unwrap_or_default().into();
    let Ok(mut spec) = parse_posix_options(&words) else {
        return;
    };
    let recorded = spec.recorded_arguments(b"program");
    parse_posix_options(&recorded[1..]).expect("recorded options");
    fill_templates(&mut spec, &template);
    if alternatives(&spec) > MANY {
        return;
    }
    for alternative in spec.alternatives() {
        let _ = realise(&spec, &alternative, b"program", &mut Pool::new());
    }
});

/// Reads no file: every template has the same contents.
fn fill_templates(spec: &mut InputSpec, template: &Arc<[u8]>) {
    let files = spec.files.iter_mut().map(|file| &mut file.source);
    let whole = spec.stdin.iter_mut().chain(&mut spec.command_output);
    for source in files.chain(whole) {
        if let Source::TemplateFile(_) = source {
            *source = Source::Template(Arc::clone(template));
        }
    }
}

fn alternatives(spec: &InputSpec) -> u64 {
    spec.args.iter().fold(1, |product, arg| match *arg {
        plat_env::ArgSpec::SymbolicList { min, max, .. } => {
            product.saturating_mul(u64::from(max.saturating_sub(min)) + 1)
        }
        _ => product,
    })
}

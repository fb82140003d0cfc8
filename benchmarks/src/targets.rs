//! The targets for speed in one table: each figure, its goal, and the ratios to a previous release
//! of plat and to a peer on the same bitcode.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::Args;

use crate::Common;
use crate::others::Others;
use crate::process::{Run, printed_at_cost, scratch};
use crate::programs::cases::built;
use crate::programs::real::{Programs, Where};
use crate::speed::{Measured, Speed, fork_costs, group};
use crate::table::Table;
use crate::workers::{Workers, gains};
use crate::{backends, expressions, layers};

/// What to measure, and whom to compare with.
#[derive(Args)]
pub struct Targets {
    /// Only these targets, by number: 1 concrete code, 2 expressions, 3 queries, 4 back ends, 5 arrays,
    /// 6 resolution, 7 analysis, 8 workers, 9 start-up
    targets: Vec<u32>,
    #[command(flatten)]
    others: Others,
    /// Version of the clang that makes the bitcode; a peer reads no newer one than its own
    #[arg(long, value_name = "VERSION")]
    llvm: Option<String>,
    /// Seconds of each exploration whose queries are counted
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    time: u64,
    #[command(flatten)]
    place: Where,
}

const HEAD: [&str; 9] = [
    "target", "what", "figure", "unit", "goal", "met", "previous", "peer", "M instr",
];

/// A goal: the figure is to be at least, or at most, this.
#[derive(Clone, Copy)]
enum Goal {
    Least(f64),
    Most(f64),
    /// Measured for what stands beside it.
    None,
}

/// What measures a target.
type Part = fn(&Common, &Targets, &Speed, &mut Rows) -> Result<(), String>;

/// The table on its way.
struct Rows(Table);

impl Rows {
    /// Adds a figure that is measured without others.
    fn alone(&mut self, target: &str, what: &str, (figure, unit): (f64, &str), goal: Goal) {
        self.add(target, what, (figure, unit), goal, [None, None], None);
    }

    /// Adds a figure of a program.
    fn of(&mut self, target: &str, one: &Measured, figure: (f64, &str), goal: Goal) {
        let instructions = one.median(|run| run.number("instructions"));
        let (ratios, what) = (one.ratios(), one.name());
        self.add(target, what, figure, goal, ratios, Some(instructions / 1e6));
    }

    fn add(
        &mut self,
        target: &str,
        what: &str,
        (figure, unit): (f64, &str),
        goal: Goal,
        ratios: [Option<f64>; 2],
        instructions: Option<f64>,
    ) {
        let (wanted, met) = match goal {
            Goal::Least(least) => (format!(">= {least}"), Some(figure >= least)),
            Goal::Most(most) => (format!("<= {most}"), Some(figure <= most)),
            Goal::None => ("-".into(), None),
        };
        let shown = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
        self.0.row(vec![
            target.into(),
            what.into(),
            format!("{figure:.3}"),
            unit.into(),
            wanted,
            met.map_or("-", |met| if met { "yes" } else { "NO" }).into(),
            shown(ratios[0]),
            shown(ratios[1]),
            instructions.map_or("-".into(), |count| format!("{count:.2}")),
        ]);
    }
}

/// Measures and prints the table.
///
/// # Errors
/// When a program cannot be built or run.
pub fn targets(common: &Common, what: &Targets) -> Result<(), String> {
    let speed = Speed {
        groups: vec![],
        baseline: what.others.previous.clone(),
        peer: what.others.peer.clone(),
        peer_options: what.others.peer_options.clone(),
        llvm: what.llvm.clone(),
        build: None,
        count: false,
    };
    let title = "Targets (previous, peer: their user time for each second of ours)";
    let mut rows = Rows(Table::new(title, &HEAD));
    let parts: [Part; 9] = [
        concrete,
        built_and_evaluated,
        queries,
        back_ends,
        arrays,
        resolution,
        analysis,
        parallel,
        start,
    ];
    for (number, part) in (1u32..).zip(parts) {
        if what.targets.is_empty() || what.targets.contains(&number) {
            part(common, what, &speed, &mut rows)?;
        }
    }
    rows.0.print();
    Ok(())
}

/// The real programs that are busy for a while.
const REAL: [&str; 3] = ["m4", "make", "sqlite"];

/// The same comparisons, with real programs where they have been built.
fn with_real_programs(speed: &Speed, what: &Targets) -> Result<Speed, String> {
    let build = what.place.build();
    for program in REAL {
        built(&build, program)?;
    }
    Ok(Speed {
        build: Some(build),
        ..speed.clone()
    })
}

fn concrete(common: &Common, what: &Targets, speed: &Speed, rows: &mut Rows) -> Result<(), String> {
    let mut all = group(common, speed, "concrete")?;
    all.extend(group(
        common,
        &with_real_programs(speed, what)?,
        "programs",
    )?);
    for one in &all {
        let rate = (one.rate_without_start(), "M instr/s");
        let ratios = [one.ratio_without_start(), None];
        let instructions = Some(one.median(|run| run.number("instructions")) / 1e6);
        let goal = Goal::Least(100.0);
        rows.add("1 concrete", one.name(), rate, goal, ratios, instructions);
        rows.of("1 with start", one, (one.rate(), "M instr/s"), Goal::None);
    }
    let forks = group(common, speed, "forks")?;
    if let (Some(costs), Some(most)) = (fork_costs(&forks), forks.last()) {
        let kib = most.median(Run::mebibytes) / 1024.0;
        let fork = costs.fork + costs.question;
        rows.alone("1 forks", "a fork", (fork, "us"), Goal::Most(5.0));
        rows.alone(
            "1 forks",
            "with what its state does",
            (costs.all, "us"),
            Goal::None,
        );
        rows.alone(
            "1 forks",
            "a state",
            (costs.bytes, "bytes"),
            Goal::Most(10_000.0),
        );
        rows.of("1 forks", most, (kib, "GiB"), Goal::Most(4.0));
    }
    Ok(())
}

fn built_and_evaluated(_: &Common, _: &Targets, _: &Speed, rows: &mut Rows) -> Result<(), String> {
    for (what, figure) in expressions::figures() {
        let goal = match what {
            "built" => Goal::Least(20.0),
            "under many assignments" => Goal::Least(100.0),
            _ => Goal::None,
        };
        rows.alone("2 expressions", what, (figure, "M nodes/s"), goal);
    }
    Ok(())
}

fn queries(common: &Common, what: &Targets, speed: &Speed, rows: &mut Rows) -> Result<(), String> {
    for one in group(common, speed, "queries")? {
        rows.of("3 queries", &one, (one.cpu(), "s"), Goal::None);
    }
    for (program, run) in layers::explored(common, &Programs::explored(what.time, &what.place))? {
        let without = 100.0 * layers::without(&run);
        rows.alone("3 no back end", &program, (without, "%"), Goal::Least(90.0));
        let each = layers::for_each_fork(&run);
        rows.alone(
            "3 back end",
            &program,
            (each, "for each fork"),
            Goal::Most(1.0),
        );
    }
    Ok(())
}

/// Seconds that a back end may take for a query of the sample, some of which exceed any limit.
const QUERY: Duration = Duration::from_secs(1);

fn back_ends(common: &Common, _: &Targets, _: &Speed, rows: &mut Rows) -> Result<(), String> {
    for (class, ratio) in backends::ratios(common, QUERY)? {
        // Floats go to Z3 itself, whose process takes a little more.
        let goal = Goal::Most(if class.contains("z3") { 1.2 } else { 1.0 });
        rows.alone("4 back ends", &class, (ratio, "of z3's time"), goal);
    }
    Ok(())
}

/// The cost of a read for that of another one, by name.
fn relation(all: &[Measured], figure: &dyn Fn(&Measured) -> f64, names: [&str; 2]) -> Option<f64> {
    let [few, many] = names.map(|name| all.iter().find(|one| one.name() == name));
    Some(figure(many?) / figure(few?))
}

fn arrays(common: &Common, _: &Targets, speed: &Speed, rows: &mut Rows) -> Result<(), String> {
    let all = group(common, speed, "tables")?;
    for one in &all {
        rows.of("5 arrays", one, (one.cpu(), "s"), Goal::None);
    }
    let names = ["4 KiB, 256", "1 MiB, 256"];
    if let Some(ratio) = relation(&all, &Measured::cpu, names) {
        rows.alone(
            "5 arrays",
            "1 MiB for 4 KiB",
            (ratio, "times"),
            Goal::Most(2.0),
        );
    }
    Ok(())
}

fn resolution(common: &Common, _: &Targets, speed: &Speed, rows: &mut Rows) -> Result<(), String> {
    let all = group(common, speed, "objects")?;
    for one in &all {
        rows.of("6 resolution", one, (one.cpu(), "s"), Goal::None);
    }
    let spent = |one: &Measured| one.median(|run| run.number("resolution.wall_s"));
    for model in ["merging", "forking"] {
        let names = [format!("10, {model}"), format!("10,000, {model}")];
        if let Some(ratio) = relation(&all, &spent, [&names[0], &names[1]]) {
            let what = format!("10,000 for 10, {model}");
            rows.alone("6 resolution", &what, (ratio, "times"), Goal::Most(2.0));
        }
    }
    Ok(())
}

/// The stages before a run, with their arguments.
const STAGES: [(&str, &[&str]); 4] = [
    ("link", &["program.bc", "-o", "linked.bc"]),
    ("analyze", &["linked.bc", "--stats", "-o", "sets"]),
    (
        "segment",
        &["linked.bc", "--points-to", "sets", "-o", "map"],
    ),
    (
        "transform",
        &["linked.bc", "--segments", "map", "-o", "plat.bc"],
    ),
];

/// What the analysis says of itself, each with its processor time.
const PARTS: [&str; 6] = [
    "reading",
    "constraints",
    "solving",
    "reporting",
    "choices",
    "writing",
];

/// A stage, its processor time, and whether that has a goal.
struct Stage {
    name: String,
    seconds: f64,
    goal: Goal,
}

/// What each stage costs a plat, the parts of the analysis by themselves, and the most memory of any.
fn staged(common: &Common, plat: &Path, program: &Path) -> Result<(Vec<Stage>, u64), String> {
    let scratch = scratch()?;
    let copied = std::fs::copy(program, scratch.path().join("program.bc"));
    copied.map_err(|error| format!("{}: {error}", program.display()))?;
    let (mut stages, mut most) = (Vec::new(), 0);
    for (name, arguments) in STAGES {
        let mut command = Command::new(plat);
        command.arg(name).args(arguments);
        command.current_dir(scratch.path());
        if let Some(libc) = &common.libc {
            command.env("PLAT_LIBC", libc);
        }
        let (said, spent) = printed_at_cost(command)?;
        most = most.max(spent.memory);
        let parts = said.lines().filter_map(part);
        stages.extend(parts.map(|(part, seconds)| Stage {
            name: format!("{name}: {part}"),
            seconds,
            goal: Goal::Most(2.0),
        }));
        stages.push(Stage {
            name: name.to_owned(),
            seconds: spent.user,
            goal: match name {
                "analyze" => Goal::None,
                _ => Goal::Most(2.0),
            },
        });
    }
    Ok((stages, most))
}

/// A part of the analysis and its processor time, from a line of `--stats`.
fn part(line: &str) -> Option<(&str, f64)> {
    let (before, _) = line.split_once(" s of processor time")?;
    let (name, seconds) = before.split_once(' ')?;
    Some((name, seconds.trim().parse().ok()?))
}

/// The parts of the analysis of which nothing was said.
fn missing(stages: &[Stage]) -> Vec<&'static str> {
    let said = |part: &str| (stages.iter()).any(|stage| stage.name == format!("analyze: {part}"));
    PARTS.into_iter().filter(|part| !said(part)).collect()
}

fn analysis(common: &Common, what: &Targets, _: &Speed, rows: &mut Rows) -> Result<(), String> {
    let sqlite = built(&what.place.build(), "sqlite")?.bitcode;
    let (ours, most) = staged(common, &common.plat, &sqlite)?;
    let missing = missing(&ours);
    if !missing.is_empty() {
        return Err(format!(
            "`plat analyze --stats` does not say what these take: {}",
            missing.join(", ")
        ));
    }
    let before = match &what.others.previous {
        Some(plat) => staged(common, plat, &sqlite)?.0,
        None => vec![],
    };
    for stage in ours {
        let mut before = before.iter().filter(|other| other.name == stage.name);
        let before = before.next().map(|before| before.seconds / stage.seconds);
        let (figure, ratios) = ((stage.seconds, "s"), [before, None]);
        rows.add("7 SQLite", &stage.name, figure, stage.goal, ratios, None);
    }
    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    let gib = most as f64 / f64::from(1 << 30);
    rows.alone("7 SQLite", "memory", (gib, "GiB"), Goal::Most(1.0));
    Ok(())
}

fn parallel(common: &Common, what: &Targets, _: &Speed, rows: &mut Rows) -> Result<(), String> {
    let programs = Workers::of_two(&what.place);
    for (program, gain) in gains(common, &programs)? {
        rows.alone(
            "8 two workers",
            &program,
            (gain, "times, by CPU"),
            Goal::Least(1.8),
        );
    }
    Ok(())
}

fn start(common: &Common, what: &Targets, speed: &Speed, rows: &mut Rows) -> Result<(), String> {
    let real = with_real_programs(speed, what)?;
    let groups = [
        (speed, "start", Goal::Most(0.3)),
        (&real, "starts", Goal::None),
    ];
    for (speed, name, goal) in groups {
        for one in group(common, speed, name)? {
            let cpu = one.median(|run| run.cpu);
            rows.of("9 start-up", &one, (cpu, "s"), goal);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_analysis_that_says_nothing_is_named() {
        let line = |part: &str| {
            let (name, seconds) = super::part(part).expect("a part");
            Stage {
                name: format!("analyze: {name}"),
                seconds,
                goal: Goal::None,
            }
        };
        let mut stages: Vec<Stage> = (PARTS.iter())
            .map(|part| {
                line(&format!(
                    "{part}   0.97 s of processor time,  78 MiB at its end"
                ))
            })
            .collect();
        assert!(missing(&stages).is_empty());
        assert!((stages[0].seconds - 0.97).abs() < 1e-9);
        stages.remove(2);
        assert_eq!(missing(&stages), ["solving"]);
    }
}

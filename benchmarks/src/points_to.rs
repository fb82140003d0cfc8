//! The static stages by themselves: sites, contexts, groups, precision, processor time, memory; on
//! programs with the C library and without, and on several copies of one program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::Value;

use crate::Common;
use crate::process::{cost, link, scratch};
use crate::programs;
use crate::table::Table;

/// The programs that are analysed if none is named.
const PROGRAMS: [&str; 6] = ["m4", "make", "apr", "libxml2", "sqlite", "gas"];

/// `plat-bench points-to`.
#[derive(Args)]
pub struct PointsTo {
    /// Programs in bitcode; m4, make, APR, libxml2, SQLite and gas if there is none
    programs: Vec<PathBuf>,
    /// Analyses this many copies of each program as one, each with a C library, arguments and
    /// environment of its own
    #[arg(long, value_delimiter = ',', value_name = "K")]
    copies: Vec<u32>,
    /// All copies have one C library, and the same arguments and environment
    #[arg(long, requires = "copies")]
    share: bool,
    /// Which sets unite contexts
    #[arg(long, default_value = "symbolic", value_name = "SETS")]
    unify: String,
    /// The budget of the analysis (as --analysis-budget)
    #[arg(long, default_value_t = 0, value_name = "N")]
    budget: u64,
    /// The version of LLVM whose tools make the copies
    #[arg(long, default_value = "22", value_name = "N")]
    llvm: String,
}

/// Prints the table.
pub fn points_to(common: &Common, what: &PointsTo) -> Result<(), String> {
    let folder = scratch()?;
    all(common, what, folder.path())
}

fn all(common: &Common, what: &PointsTo, folder: &Path) -> Result<(), String> {
    let mut table = Table::new(
        &format!(
            "Points-to and segments (--unify {}); processor time is that of `plat analyze`, \
             reading and taints included",
            what.unify
        ),
        &[
            "program",
            "k",
            "insts",
            "precision",
            "sites",
            "contexts",
            "groups",
            "largest",
            "its sites",
            "alone",
            "sites/deref",
            "contexts/deref",
            "solver M",
            "CPU s",
            "MiB",
        ],
    );
    for program in named(what)? {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        if what.copies.is_empty() {
            let own = folder.join(format!("{name}.bc"));
            std::fs::copy(&program, &own).map_err(|error| error.to_string())?;
            let linked = link(common, &own)?;
            let analysed = [(format!("{name}+libc"), linked), (name.to_string(), own)];
            for (name, bitcode) in analysed {
                table.row(row(common, what, folder, (&name, 1), &bitcode)?);
            }
        }
        for &k in &what.copies {
            let bitcode = copies(common, what, folder, &program, k)?;
            table.row(row(common, what, folder, (&name, k), &bitcode)?);
        }
    }
    table.print();
    Ok(())
}

fn named(what: &PointsTo) -> Result<Vec<PathBuf>, String> {
    match what.programs.is_empty() {
        true => PROGRAMS
            .iter()
            .map(|name| programs::bitcode(name))
            .collect(),
        false => Ok(what.programs.clone()),
    }
}

/// Analyses and partitions one module.
fn row(
    common: &Common,
    what: &PointsTo,
    folder: &Path,
    (name, k): (&str, u32),
    bitcode: &Path,
) -> Result<Vec<String>, String> {
    let (sets, map) = (folder.join("sets.json"), folder.join("map.json"));
    let mut analyze = Command::new(&common.plat);
    analyze.arg("analyze").arg(bitcode).arg("-o").arg(&sets);
    analyze.args(["--analysis-budget", &what.budget.to_string()]);
    let spent = cost(analyze)?;
    let mut segment = Command::new(&common.plat);
    segment
        .arg("segment")
        .arg(bitcode)
        .arg("--points-to")
        .arg(&sets);
    segment.args(["--unify", &what.unify]).arg("-o").arg(&map);
    cost(segment)?;
    let (sets, map) = (read(&sets)?, read(&map)?);
    let (groups, contexts) = (groups(&map), list(&map["contexts"]));
    let sites: BTreeSet<u64> = contexts.iter().filter_map(site).collect();
    let grouped: usize = groups.iter().map(|(contexts, _)| contexts).sum();
    let largest = |most: fn(&(usize, usize)) -> usize| groups.iter().map(most).max().unwrap_or(0);
    let statistics = &sets["statistics"];
    Ok(vec![
        name.to_owned(),
        k.to_string(),
        statistics["instructions"].to_string(),
        statistics["precision"].as_str().unwrap_or("?").to_owned(),
        sites.len().to_string(),
        contexts.len().to_string(),
        groups.len().to_string(),
        largest(|group| group.0).to_string(),
        largest(|group| group.1).to_string(),
        (contexts.len() - grouped).to_string(),
        format!("{:.1}", sites_per_dereference(&sets)),
        format!("{:.1}", mean(&statistics["dereferences"], 2, 0)),
        format!("{:.0}", number(&statistics["work"]["operations"]) / 1e6),
        format!("{:.2}", spent.cpu),
        (spent.memory >> 20).to_string(),
    ])
}

fn read(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("plat has not written {}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

fn mean(counts: &Value, sum: usize, count: usize) -> f64 {
    number(&counts[sum]) / number(&counts[count]).max(1.0)
}

/// The allocating call of a context.
fn site(context: &Value) -> Option<u64> {
    list(&context["chain"]).last().and_then(Value::as_u64)
}

/// How many contexts each group has, and how many allocating calls these are of.
fn groups(map: &Value) -> Vec<(usize, usize)> {
    let mut groups = BTreeMap::<u64, (usize, BTreeSet<u64>)>::new();
    for context in list(&map["contexts"]) {
        if let Some(group) = context["group"].as_u64() {
            let (contexts, sites) = groups.entry(group).or_default();
            *contexts += 1;
            sites.extend(site(context));
        }
    }
    let groups = groups.into_values();
    groups.map(|(count, sites)| (count, sites.len())).collect()
}

/// Distinct allocating calls that a dereferenced pointer can point to, on average: not more when
/// there are more contexts.
fn sites_per_dereference(sets: &Value) -> f64 {
    let objects = list(&sets["objects"]).iter();
    let site = |object: &Value| match object["kind"].as_str() {
        Some("heap") => list(&object["chain"]).last().and_then(Value::as_u64),
        _ => None,
    };
    let sites: Vec<Option<u64>> = objects.map(site).collect();
    let count = |set: &Value| {
        let objects = list(set).iter().filter_map(Value::as_u64);
        let mut own: Vec<u64> = objects
            .filter_map(|object| sites.get(usize::try_from(object).ok()?).copied().flatten())
            .collect();
        own.sort_unstable();
        own.dedup();
        own.len()
    };
    let counts: Vec<usize> = list(&sets["sets"]).iter().map(count).collect();
    let dereferences = list(&sets["dereferences"]);
    let all = dereferences.iter().filter_map(|one| one[1].as_u64());
    let sum: usize = all
        .filter_map(|set| counts.get(usize::try_from(set).ok()?))
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let mean = sum as f64 / dereferences.len().max(1) as f64;
    mean
}

/// A module with `k` copies of a program, all called by one `main`, with the C library.
fn copies(
    common: &Common,
    what: &PointsTo,
    folder: &Path,
    program: &Path,
    k: u32,
) -> Result<PathBuf, String> {
    let tool = |name: &str| Command::new(format!("{name}-{}", what.llvm));
    let (plain, text) = (folder.join("plain.bc"), folder.join("plain.ll"));
    run(tool("opt")
        .arg("-passes=strip")
        .arg(program)
        .arg("-o")
        .arg(&plain))?;
    let one = match what.share {
        true => plain,
        false => link(common, &plain)?,
    };
    run(tool("llvm-dis").arg(one).arg("-o").arg(&text))?;
    let text = std::fs::read_to_string(&text).map_err(|error| error.to_string())?;
    let mut modules = Vec::new();
    for copy in 0..k {
        let (renamed, module) = (
            folder.join("copy.ll"),
            folder.join(format!("copy{copy}.bc")),
        );
        let own = text
            .replace("@main(", &format!("@main.{copy}("))
            .replace("@__plat_start(", &format!("@start.{copy}("));
        std::fs::write(&renamed, own).map_err(|error| error.to_string())?;
        let mut own = tool("opt");
        own.arg("-passes=internalize");
        own.arg(format!(
            "-internalize-public-api-list=main.{copy},start.{copy}"
        ));
        run(own.arg(&renamed).arg("-o").arg(&module))?;
        modules.push(module);
    }
    let driver = folder.join("main.ll");
    let calls: Vec<[String; 2]> = (0..k).map(|copy| entry(copy, what.share)).collect();
    let [declared, called] = [0, 1].map(|at| calls.iter().map(|one| one[at].as_str()).collect());
    let (declared, called): (String, String) = (declared, called);
    let text =
        format!("{declared}define i32 @main(i32 %argc, ptr %argv) {{\n{called}  ret i32 0\n}}\n");
    std::fs::write(&driver, text).map_err(|error| error.to_string())?;
    let whole = folder.join(format!("copies{k}.bc"));
    run(tool("llvm-link")
        .arg(&driver)
        .args(&modules)
        .arg("-o")
        .arg(&whole))?;
    for module in modules {
        let _ = std::fs::remove_file(module);
    }
    match what.share {
        true => link(common, &whole),
        false => Ok(whole),
    }
}

/// What the common `main` says of a copy: its declarations, and the call that starts it. A copy with
/// a library of its own is a whole program, and is started as the system starts one.
fn entry(copy: u32, share: bool) -> [String; 2] {
    let main = format!("declare i32 @main.{copy}(i32, ptr)\n");
    if share {
        let call = format!("  %r{copy} = call i32 @main.{copy}(i32 %argc, ptr %argv)\n");
        return [main, call];
    }
    let table = |name: &str| {
        let text = format!("@{name}.text.{copy} = internal global [64 x i8] zeroinitializer\n");
        let first = format!("ptr @{name}.text.{copy}, ptr null");
        text + &format!("@{name}.{copy} = internal global [2 x ptr] [{first}]\n")
    };
    let start = format!("declare i32 @start.{copy}(ptr, i32, ptr, ptr)\n");
    let given = format!("ptr @main.{copy}, i32 1, ptr @arguments.{copy}, ptr @environment.{copy}");
    let declared = [main, start, table("arguments"), table("environment")].concat();
    [
        declared,
        format!("  %r{copy} = call i32 @start.{copy}({given})\n"),
    ]
}

fn run(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{status} from: {shown}")),
        Err(error) => Err(format!("cannot run {shown}: {error}")),
    }
}

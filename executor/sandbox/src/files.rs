//! Which files may be changed, by Landlock (Linux 5.13). Of kernels that know less than is asked for,
//! what they know is taken.

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// The first version that has all kinds of changes: with truncation.
const CHANGES: ABI = ABI::V3;

/// The first version that keeps signals and abstract sockets within.
const SCOPES: ABI = ABI::V6;

/// Devices that everybody may write to.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

fn failed(why: impl Display) -> io::Error {
    io::Error::other(why.to_string())
}

/// Whether this system can refuse all changes of files.
pub fn are_confinable() -> bool {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(CHANGES));
    rules.and_then(Ruleset::create).is_ok()
}

/// Whether this system can keep signals within.
pub fn are_signals_confinable() -> bool {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal);
    rules.and_then(Ruleset::create).is_ok()
}

/// Rules by which nothing may be changed but devices and what is at these paths and below them.
///
/// # Errors
/// When the system has Landlock and refuses it.
pub fn rules<'p>(writable: impl Iterator<Item = &'p Path>) -> io::Result<RulesetCreated> {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(CHANGES))
        .and_then(|rules| rules.scope(Scope::from_all(SCOPES)))
        .and_then(Ruleset::create)
        .map_err(failed)?;
    let mut writable = DEVICES.iter().map(Path::new).chain(writable);
    writable.try_fold(rules, allow)
}

/// Adds a path to rules. What is not there needs none.
fn allow(rules: RulesetCreated, path: &Path) -> io::Result<RulesetCreated> {
    let Ok(place) = PathFd::new(path) else {
        return Ok(rules);
    };
    let changes = AccessFs::from_write(CHANGES);
    let changes = match path.is_dir() {
        true => changes,
        false => changes & AccessFs::from_file(CHANGES),
    };
    rules
        .add_rule(PathBeneath::new(place, changes))
        .map_err(failed)
}

/// Holds this process and its descendants to rules, with these paths added.
///
/// # Errors
/// When the system refuses.
pub fn restrict<'p>(
    rules: RulesetCreated,
    mut writable: impl Iterator<Item = &'p Path>,
) -> io::Result<()> {
    let rules = writable.try_fold(rules, allow)?;
    rules.restrict_self().map(|_| ()).map_err(failed)
}

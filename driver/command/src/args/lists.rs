//! Help texts made from the `ALL` lists of the families, so that a new member documents itself.

/// Help for `--search`.
pub fn searchers() -> String {
    searchers_instead_of(&plat_engine::search::DEFAULT.join(","))
}

/// Help for `--search` of a run that goes on.
pub fn other_searchers() -> String {
    searchers_instead_of("as in the first command line")
}

fn searchers_instead_of(default: &str) -> String {
    let entries = plat_engine::search::ALL
        .iter()
        .map(|entry| (entry.name, entry.help));
    let title = format!(
        "Which path runs next. Several searchers, given by repeating the option or separated by \
         commas, take turns [default: {default}]:"
    );
    list(&title, entries)
}

/// Help for `--memory-model`.
pub fn memory_models() -> String {
    let entries = plat_memory::model::ALL
        .iter()
        .map(|entry| (entry.name, entry.help));
    list(
        "How a symbolic pointer becomes reads and writes of memory [default: auto; segmented for a \
         program that has segments, and where --segments, --join or --unify says how they are made]:",
        entries,
    )
}

/// Help for `--allocator`.
pub fn allocators() -> String {
    let entries = plat_allocator::ALL
        .iter()
        .map(|entry| (entry.name, entry.help));
    list("What chooses the addresses that the program sees:", entries)
}

/// Help for `--solver`.
pub fn solvers() -> String {
    let entries = plat_solver::BACKENDS
        .iter()
        .map(|entry| (entry.name, entry.help));
    list("The solver behind the caches:", entries)
}

fn list<'a>(head: &str, entries: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let width = entries
        .clone()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or(0);
    let mut out = head.to_string();
    for (name, help) in entries {
        out += &format!("\n  {name:width$}  {help}");
    }
    out
}

//! The status of input files, as objects of the test case: KLEE's `A_data_stat`, `stdin_stat`,
//! which its replayer uses to create the files. Here they are concrete, except `stdout_stat`, and under
//! KLEE's names those of symbolic input.

use super::{InputObject, Inputs};
use crate::contents::Contents;
use crate::descriptors::Target;
use crate::environment::Environment;
use crate::host::Host;
use crate::layout;
use crate::metadata::Metadata;
use crate::symbolic_status::FileName;
use crate::tree::join;
use plat_expr::Pool;

/// Whether an object of this name only describes a file or the format of the test case: names of
/// KLEE's POSIX model, new and old. Other names with the same endings belong to a harness.
pub fn is_status(name: &str) -> bool {
    let file = name.strip_suffix("_stat");
    match file.or_else(|| name.strip_suffix("-stat")) {
        Some("stdin" | "stdout") => true,
        Some(file) => file.ends_with("_data") || file.ends_with("-data"),
        None => name == "model_version",
    }
}

impl Environment {
    /// Adds the status of each input file to the objects, after its contents. A symbolic standard
    /// output prefers the same status.
    pub fn add_status(&self, host: &mut Host, pool: &mut Pool, inputs: &mut Inputs) {
        if let Some(usual) = self.status_of_stdin() {
            let statuses = &inputs.statuses;
            let files = statuses.files.iter().map(|(_, status)| status);
            let all = files.chain(&statuses.output);
            let usual: Vec<_> = all.flat_map(|one| one.preferences(pool, &usual)).collect();
            match statuses.as_klee {
                true => inputs.statuses.preferences = usual.into(),
                false => inputs.preferences.extend(usual),
            }
        }
        let objects = std::mem::take(&mut inputs.objects);
        for object in objects {
            let file = object.name.strip_suffix("_data");
            let file =
                file.filter(|file| inputs.files.iter().any(|(name, _)| name == file.as_bytes()));
            let status = match file {
                Some(file) => self.status_of_file(host, file.as_bytes()),
                None if object.name == "stdin" => self.status_of_stdin(),
                None => None,
            };
            let status = status.filter(|_| object.bytes.size() > 0);
            let name = format!("{}_stat", object.name);
            let name_of = |file: &[u8]| FileName::Named(file.to_vec());
            let input = file.map_or(FileName::Input, |file| name_of(file.as_bytes()));
            let status = status.filter(|_| inputs.statuses.of(&input).is_none());
            inputs.objects.push(object);
            inputs.objects.extend(status.map(|status| InputObject {
                name,
                bytes: Contents::shared(layout::stat(&status).into()),
            }));
        }
    }

    fn status_of_file(&self, host: &mut Host, name: &[u8]) -> Option<Metadata> {
        let path = match name.starts_with(b"/") {
            true => name.to_vec(),
            false => join(&self.directory, name),
        };
        let entry = self.tree.lookup(host, &path).ok()??;
        Some(*entry.metadata())
    }

    fn status_of_stdin(&self) -> Option<Metadata> {
        match self.descriptors.get(0).ok()?.target {
            Target::File(id) => Some(self.tree.file(id).ok()?.metadata()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_status;

    #[test]
    fn a_harness_may_name_its_objects_alike() {
        let of_model = [
            "A_data_stat",
            "A-data-stat",
            "stdin_stat",
            "stdin-stat",
            "model_version",
        ];
        assert!(of_model.iter().all(|name| is_status(name)));
        let own = ["file_stat", "my-stat", "_stat", "A_data", "stdin", "stat"];
        assert!(!own.iter().any(|name| is_status(name)));
    }
}

//! A points-to result as what the engine checks a run against.
//!
//! Objects that differ in their context alone are one class, heap objects excepted: the executor
//! knows the calls under which heap memory was allocated, and of everything else only where it
//! was made.

use crate::Error;
use crate::input::{self, Kind};
use plat_engine::Prediction;
use plat_engine::prediction::Class;
use plat_pointers::{AbstractObject, CallSite, PointsTo};
use plat_program::{FuncId, Inst, InstId, Program};
use rustc_hash::FxHashMap;
use std::path::Path;

/// What a run of `program` is to be checked against: the result in a file, or that of an analysis
/// made here.
///
/// # Errors
/// When the file is not usable or was made for another program.
pub fn prediction(program: &Program, file: Option<&Path>) -> Result<Prediction, Error> {
    let points_to = match file {
        None => plat_pointers::analyze(program, &plat_pointers::PointsToConfig::default()),
        Some(path) => {
            input::check(path, Kind::PointsTo)?;
            let points_to = PointsTo::read(path).map_err(Error::input)?;
            let name = path.display().to_string();
            points_to.matches(program, &name).map_err(Error::input)?;
            points_to
        }
    };
    Ok(of(program, &points_to))
}

/// The prediction that a points-to result makes.
pub fn of(program: &Program, points_to: &PointsTo) -> Prediction {
    let mut classes = Classes {
        program,
        made: Prediction {
            globals: vec![None; program.globals.len()],
            functions: vec![None; program.functions.len()],
            registers: vec![Vec::new(); program.functions.len()],
            ..Prediction::default()
        },
        calls: FxHashMap::default(),
    };
    let sites: Vec<Option<InstId>> = points_to
        .sites
        .iter()
        .map(|site| classes.call(site))
        .collect();
    let of_objects: Vec<Option<Class>> = points_to
        .objects
        .iter()
        .map(|object| classes.of(object, &sites))
        .collect();
    let mut made = classes.made;
    made.described = vec![false; program.functions.len()];
    for name in &points_to.summarised {
        if let Some(function) = program.function_named(name) {
            made.described[function.id.index()] = true;
        }
    }
    for set in &points_to.sets {
        let objects = set.iter();
        let mut set: Vec<Class> = objects
            .filter_map(|&object| of_objects[object as usize])
            .collect();
        set.sort_unstable();
        set.dedup();
        made.sets.push(set);
    }
    for (function, registers) in &points_to.registers {
        if let Some(entry) = made.registers.get_mut(function.index()) {
            entry.clone_from(registers);
        }
    }
    made
}

/// Classes while they are made.
struct Classes<'p> {
    program: &'p Program,
    made: Prediction,
    /// By function: its calls by ordinal.
    calls: FxHashMap<FuncId, FxHashMap<u32, InstId>>,
}

impl Classes<'_> {
    fn call(&mut self, site: &CallSite) -> Option<InstId> {
        let function = self.program.function_named(&site.function)?;
        let calls = self.calls.entry(function.id).or_insert_with(|| {
            let ordinals = function.call_ordinals.iter().enumerate();
            ordinals
                .map(|(at, &ordinal)| (ordinal, InstId(function.first_inst.0 + at as u32)))
                .collect()
        });
        calls.get(&site.call).copied()
    }

    fn of(&mut self, object: &AbstractObject, sites: &[Option<InstId>]) -> Option<Class> {
        let program = self.program;
        let next = self.made.classes;
        let function = |name: &str| Some(program.function_named(name)?.id);
        let class = match object {
            AbstractObject::Global { name } => {
                let global = *program.global_names.get(name)?;
                *self.made.globals[global.index()].get_or_insert(next)
            }
            AbstractObject::Function { name } => {
                let at = function(name)?.index();
                *self.made.functions[at].get_or_insert(next)
            }
            AbstractObject::Stack {
                function, register, ..
            } => {
                let function = program.function_named(function)?;
                let at = function.insts.iter().position(
                    |inst| matches!(inst, Inst::Alloca { dst, .. } if dst.0 == *register),
                )?;
                let inst = InstId(function.first_inst.0 + at as u32);
                *self.made.stack.entry(inst).or_insert(next)
            }
            AbstractObject::ByValue { function: name, .. }
            | AbstractObject::VarArgs { function: name, .. } => {
                *self.made.frames.entry(function(name)?).or_insert(next)
            }
            AbstractObject::Heap { chain } | AbstractObject::Mapped { chain } => {
                let calls = chain.iter().rev();
                let calls: Option<Vec<InstId>> = calls.map(|&site| sites[site as usize]).collect();
                *self.made.heap.entry(calls?).or_insert(next)
            }
            AbstractObject::Arguments
            | AbstractObject::ArgumentText
            | AbstractObject::Library { .. } => *self.made.entry.get_or_insert(next),
            AbstractObject::External | AbstractObject::Transit => return None,
        };
        if class == next {
            self.made.classes += 1;
        }
        Some(class)
    }
}

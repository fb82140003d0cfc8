//! Measures of one run of the analysis.

use crate::analyze::Precision;
use crate::analyze::Stage;
use crate::config::PointsToConfig;
use crate::constraints::Constraint;
use crate::extract::Extraction;
use crate::report::objects::AbstractObject;
use crate::report::points_to::PointsTo;
use crate::solver::solved::{Measures, Solved};
use plat_program::Program;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Sizes, precision and times. There are no times in files, so that files are reproducible.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Statistics {
    /// What was left out to stay within the budget.
    pub precision: Precision,
    /// Instructions of the program.
    pub instructions: u64,
    /// Function instances with their bodies.
    pub instances: u64,
    /// Greatest length of a context.
    pub clone_depth: u64,
    /// Nodes of the constraint system.
    pub nodes: u64,
    /// Constraints: address, copy, shift, load, store and initial contents, block copies.
    pub constraints: [u64; 6],
    /// Calls through pointers, and the call edges found for them.
    pub pointer_calls: [u64; 2],
    /// Objects: all, and heap objects.
    pub objects: [u64; 2],
    /// The solver's work.
    pub work: Measures,
    /// Pointers with a set that is not empty, and the sum and the greatest of the sizes in objects.
    pub pointers: [u64; 3],
    /// Dereferences: all, with an empty set, sum and greatest number of heap objects in a set.
    pub dereferences: [u64; 4],
    /// Where the time went.
    #[serde(skip)]
    pub stages: Vec<Stage>,
}

impl Statistics {
    /// Counts.
    pub fn of(
        program: &Program,
        config: &PointsToConfig,
        extraction: &Extraction,
        solved: &Solved,
        result: &PointsTo,
    ) -> Self {
        let mut constraints = [0; 6];
        for constraint in &extraction.system.constraints {
            constraints[match constraint {
                Constraint::Address { .. } => 0,
                Constraint::Copy { .. } => 1,
                Constraint::Shift { .. } => 2,
                Constraint::Load { .. } => 3,
                Constraint::Store { .. } | Constraint::Hold { .. } => 4,
                Constraint::Gather { .. } | Constraint::Scatter { .. } => 5,
            }] += 1;
        }
        let heap =
            |object: u32| matches!(result.objects[object as usize], AbstractObject::Heap { .. });
        let heap_sizes: Vec<u64> = result
            .sets
            .iter()
            .map(|set| set.iter().filter(|&&object| heap(object)).count() as u64)
            .collect();
        let mut pointers = [0; 3];
        for &(_, set) in result.registers.values().flatten() {
            let size = result.sets[set as usize].len() as u64;
            pointers = [pointers[0] + 1, pointers[1] + size, pointers[2].max(size)];
        }
        let mut dereferences = [0; 4];
        for &(_, set) in &result.dereferences {
            let size = heap_sizes[set as usize];
            dereferences[0] += 1;
            dereferences[1] += u64::from(set == 0);
            dereferences[2] += size;
            dereferences[3] = dereferences[3].max(size);
        }
        let heap_objects = (0..result.objects.len() as u32)
            .filter(|&at| heap(at))
            .count();
        Self {
            precision: Precision::Full,
            instructions: program.inst_count() as u64,
            instances: extraction.instances.len() as u64,
            clone_depth: config.clone_depth as u64,
            nodes: u64::from(extraction.system.nodes),
            constraints,
            pointer_calls: [
                extraction.system.calls.len() as u64,
                solved
                    .bound
                    .iter()
                    .map(|callees| callees.len() as u64)
                    .sum(),
            ],
            objects: [result.objects.len() as u64, heap_objects as u64],
            work: solved.measures,
            pointers,
            dereferences,
            stages: Vec::new(),
        }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let average = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        let [address, copy, step, load, store, block] = self.constraints;
        writeln!(
            out,
            "program: {} instructions, {} function instances",
            self.instructions, self.instances
        )?;
        writeln!(
            out,
            "constraints: {address} address, {copy} copy, {step} step, {load} load, {store} store, \
             {block} block; {} nodes",
            self.nodes
        )?;
        let [calls, bound] = self.pointer_calls;
        writeln!(out, "calls through pointers: {calls}, call edges {bound}")?;
        let [objects, heap] = self.objects;
        writeln!(out, "objects: {objects}, heap contexts {heap}")?;
        writeln!(
            out,
            "solver: {} waves, {} nodes merged, {} widened, {} edges, {} memory cells, \
             {} objects without fields, {} million operations",
            self.work.waves,
            self.work.merged,
            self.work.widened,
            self.work.edges,
            self.work.cells,
            self.work.wholes,
            self.work.operations.div_ceil(1_000_000)
        )?;
        let [pointers, sum, most] = self.pointers;
        let mean = average(sum, pointers);
        writeln!(
            out,
            "pointers: {pointers}, objects per set: average {mean:.1}, largest {most}"
        )?;
        let [all, empty, sum, most] = self.dereferences;
        let mean = average(sum, all);
        writeln!(
            out,
            "dereferences: {all}, {empty} of nothing, heap contexts per set: average {mean:.1}, \
             largest {most}"
        )?;
        for stage in &self.stages {
            let (seconds, mib) = (stage.time.as_secs_f64(), stage.resident >> 20);
            writeln!(
                out,
                "{:12} {seconds:6.2} s of processor time, {mib:5} MiB at its end",
                stage.name
            )?;
        }
        Ok(())
    }
}

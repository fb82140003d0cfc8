//! Builds the solver chain: layers by name on top of a back end.

use crate::answer::Solver;
use crate::backend::BackEndChoice;
use crate::config::SolverConfig;
use crate::layer::{
    affine::Affine, byte_domain::ByteDomain, byte_ranges::ByteRanges, cross_check::CrossCheck,
    decide::Layer, enumeration::Enumeration, float_guess::FloatGuess, independence::Independence,
    intervals::Intervals, log::Log, model_reuse::ModelReuse, query_cache::QueryCache,
    tables::Tables, term_domain::TermDomain, timing::Timing,
};

/// A kind of layer.
pub struct LayerEntry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it does, in a line.
    pub help: &'static str,
    /// Wraps a solver.
    pub wrap: fn(Box<dyn Solver>) -> Box<dyn Solver>,
}

/// All layers, sorted by name.
pub static LAYERS: &[LayerEntry] = &[
    LayerEntry {
        name: "affine",
        help: "solves linear equations between bits of the input, such as checksums give",
        wrap: |inner| Box::new(Layer::<Affine>::new(inner)),
    },
    LayerEntry {
        name: "byte_domain",
        help: "decides constraints on single input bytes from tables; substitutes bytes that are known",
        wrap: |inner| Box::new(ByteDomain::new(inner)),
    },
    LayerEntry {
        name: "byte_ranges",
        help: "decides constraints by intervals, from the values that single input bytes can have",
        wrap: |inner| Box::new(ByteRanges::new(inner)),
    },
    LayerEntry {
        name: "enumeration",
        help: "tries all inputs when bounds on words of the input leave few, also for floats",
        wrap: |inner| Box::new(Layer::<Enumeration>::new(inner)),
    },
    LayerEntry {
        name: "float_guess",
        help: "tries simple numbers for unknown floats",
        wrap: |inner| Box::new(Layer::<FloatGuess>::new(inner)),
    },
    LayerEntry {
        name: "independence",
        help: "splits a query into parts that share no input byte",
        wrap: |inner| Box::new(Independence::new(inner)),
    },
    LayerEntry {
        name: "intervals",
        help: "decides comparisons of terms with constants",
        wrap: |inner| Box::new(Layer::<Intervals>::new(inner)),
    },
    LayerEntry {
        name: "model_reuse",
        help: "tries recent models before solving",
        wrap: |inner| Box::new(ModelReuse::new(inner)),
    },
    LayerEntry {
        name: "query_cache",
        help: "remembers the answer to every set of constraints",
        wrap: |inner| Box::new(QueryCache::new(inner)),
    },
    LayerEntry {
        name: "tables",
        help: "decides constraints on one or two input bytes from the tables of all their values",
        wrap: |inner| Box::new(Layer::<Tables>::new(inner)),
    },
    LayerEntry {
        name: "term_domain",
        help: "refutes constraints on one term of few values, such as an index, by trying them all",
        wrap: |inner| Box::new(Layer::<TermDomain>::new(inner)),
    },
];

/// The solver that `config` describes.
///
/// # Errors
/// An unknown layer name.
pub fn chain(config: &SolverConfig) -> Result<Box<dyn Solver>, String> {
    let mut solver = backend(config, &config.backend);
    if let Some(other) = &config.cross_check {
        solver = Box::new(CrossCheck::new(solver, backend(config, other)));
    }
    if !config.log.is_empty() {
        solver = Box::new(Log::new(config.log.clone(), solver));
    }
    for name in config.layers.iter().rev() {
        let entry = LAYERS.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| format!("no solver layer is called {name}"))?;
        solver = (entry.wrap)(solver);
    }
    if !config.log_all.is_empty() {
        solver = Box::new(Log::new(config.log_all.clone(), solver));
    }
    Ok(solver)
}

fn backend(config: &SolverConfig, choice: &BackEndChoice) -> Box<dyn Solver> {
    Box::new(Timing::new(choice.make(config)))
}

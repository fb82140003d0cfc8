//! plat's own memory models, searchers and solver back ends, for the options of
//! [`Explorer`](crate::Explorer). One's own are [`ModelChoice`](memory_models::ModelChoice),
//! [`SearcherChoice`](searchers::SearcherChoice) and [`BackEndChoice`](back_ends::BackEndChoice).

/// How symbolic pointers are followed.
pub mod memory_models {
    pub use plat_memory::model::auto::ENTRY as AUTO;
    pub use plat_memory::model::dynamic::ENTRY as DYNAMIC;
    pub use plat_memory::model::flat::ENTRY as FLAT;
    pub use plat_memory::model::forking::ENTRY as FORKING;
    pub use plat_memory::model::merging::ENTRY as MERGING;
    pub use plat_memory::model::segmented::ENTRY as SEGMENTED;
    pub use plat_memory::model::single::ENTRY as SINGLE;
    pub use plat_memory::model::{MemoryModel, ModelChoice, ModelConfig};
}

/// Which path runs next.
pub mod searchers {
    pub use plat_engine::search::own::*;
    pub use plat_engine::search::{Needs, Searcher, SearcherChoice, StateId, Summary};
}

/// What decides conditions.
pub mod back_ends {
    pub use plat_solver::backend::{BITS, DUMMY, ENUMERATE, PORTFOLIO, Z3};
    pub use plat_solver::{Answer, BackEndChoice, Query, Solver, SolverConfig, Unknown};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_of_a_family_has_a_constant() {
        use memory_models::*;
        let models =
            [AUTO, DYNAMIC, FLAT, FORKING, MERGING, SEGMENTED, SINGLE].map(|entry| entry.name);
        let all = plat_memory::model::ALL.iter().map(|entry| entry.name);
        assert_eq!(all.collect::<Vec<_>>(), models);
        use back_ends::*;
        let solvers = [BITS, DUMMY, ENUMERATE, PORTFOLIO, Z3].map(|entry| entry.name);
        let all = plat_solver::BACKENDS.iter().map(|entry| entry.name);
        assert_eq!(all.collect::<Vec<_>>(), solvers);
        use searchers::*;
        let searchers = [
            BFS,
            COVNEW_PATH,
            DFS,
            DIRECTED,
            FRESH,
            NURS_COVNEW,
            NURS_CPICNT,
            NURS_DEPTH,
            NURS_ICNT,
            NURS_MD2U,
            NURS_QC,
            NURS_RP,
            PLACES,
            RANDOM_PATH,
            RANDOM_STATE,
            SUBPATH_1,
            SUBPATH_4,
            SUBPATH_8,
        ];
        let all = plat_engine::search::ALL.iter().map(|entry| entry.name);
        assert_eq!(all.collect::<Vec<_>>(), searchers.map(|entry| entry.name));
    }
}

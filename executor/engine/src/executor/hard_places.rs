//! Places in the program whose queries are expensive, or come to nothing.
//!
//! Turns are for paths, and a turn takes as long as its queries do. Where floats are printed or read, thousands of paths
//! come to queries of a tenth of a second, and a few turns of each searcher are most of the time of the run. So what such
//! queries take has a bound: a share of the work of the run. While it is exceeded, a path that comes to
//! a place whose last query was expensive is deferred without its query being asked. Work is counted and not timed, so
//! that a run can be repeated. See `docs/decisions/071-expensive-queries-have-a-share.md`.

use plat_program::InstId;
use plat_solver::Effort;
use rustc_hash::FxHashSet;

/// Expensive queries may take this part of all work,
const SHARE: u64 = 4;

/// and so much before: half a second, which no short run comes to.
const FREE: u64 = 1 << 29;

/// What an instruction is taken to cost, with the queries that cheap layers answer, in the operations of
/// [`Effort`].
const INSTRUCTION: u64 = 1 << 8;

/// A query that took less work than this was not answered by a back end, and says nothing of its place.
const CHEAP: u64 = 1 << 16;

/// A query that took as much work is expensive: some milliseconds.
const EXPENSIVE: u64 = 1 << 22;

/// The places, and what their queries have taken.
#[derive(Default)]
pub(crate) struct HardPlaces {
    /// The work of queries that were expensive or had no answer.
    work: u64,
    /// Where the last query that a back end was asked was one of these.
    places: FxHashSet<InstId>,
}

impl HardPlaces {
    /// How much work a query may take at its first attempt, which has the budget `first` elsewhere, behind so many
    /// instructions of the run and so much work of its solver.
    pub fn budget(
        &self,
        place: Option<InstId>,
        first: Effort,
        instructions: u64,
        spent: u64,
    ) -> Effort {
        if self.places.is_empty() {
            return first;
        }
        let all = spent.saturating_add(instructions.saturating_mul(INSTRUCTION));
        match place {
            Some(place) if self.work > FREE + all / SHARE && self.places.contains(&place) => {
                Effort::NONE
            }
            _ => first,
        }
    }

    /// A query at a place has taken so much work, and had an answer or none.
    pub fn note(&mut self, place: Option<InstId>, work: u64, answered: bool) {
        let Some(place) = place else { return };
        if !answered || work >= EXPENSIVE {
            self.work = self.work.saturating_add(work);
            self.places.insert(place);
        } else if work >= CHEAP && !self.places.is_empty() {
            self.places.remove(&place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Effort = Effort::of(1 << 26);
    const PLACE: Option<InstId> = Some(InstId(7));

    /// What a query may take behind so much work of the solver and no instructions.
    fn budget(places: &HardPlaces, place: u32, spent: u64) -> Effort {
        places.budget(Some(InstId(place)), FIRST, 0, spent)
    }

    #[test]
    fn expensive_places_wait_while_their_share_is_exceeded() {
        let mut places = HardPlaces::default();
        assert_eq!(budget(&places, 7, 0), FIRST);
        places.note(PLACE, FREE, false);
        assert_eq!(budget(&places, 7, FREE), FIRST);
        places.note(PLACE, FREE, false);
        assert_eq!(budget(&places, 7, 2 * FREE), Effort::NONE);
        assert_eq!(budget(&places, 8, 2 * FREE), FIRST);
        // Once others have done as much, it is asked again.
        assert_eq!(budget(&places, 7, 4 * FREE), FIRST);
        let instructions = 2 * FREE / INSTRUCTION;
        assert_eq!(places.budget(PLACE, FIRST, instructions, 2 * FREE), FIRST);
    }

    #[test]
    fn answers_say_whether_a_place_is_expensive() {
        let mut places = HardPlaces::default();
        let other = Some(InstId(8));
        places.note(other, 2 * FREE, false);
        places.note(PLACE, EXPENSIVE - 1, true);
        assert_eq!(budget(&places, 7, 0), FIRST);
        places.note(PLACE, EXPENSIVE, true);
        assert_eq!(budget(&places, 7, 0), Effort::NONE);
        // What no back end was asked says nothing.
        places.note(PLACE, CHEAP - 1, true);
        assert_eq!(budget(&places, 7, 0), Effort::NONE);
        places.note(PLACE, CHEAP, true);
        assert_eq!(budget(&places, 7, 0), FIRST);
        assert_eq!(budget(&places, 8, 0), Effort::NONE);
    }
}

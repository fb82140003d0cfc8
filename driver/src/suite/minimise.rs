//! The smallest part of a suite that covers as much as all of it.
//!
//! Finding it is set cover, which is NP-hard. The rule is that of afl-cmin with the choice of the
//! greedy algorithm: the feature that the fewest sets have comes first, as these few are almost without
//! alternative; of its sets the one is taken that adds most, of equal ones the first. At the end
//! sets go that others have made superfluous.

use std::cmp::Reverse;

/// Positions of sets that have together every feature that any set has, in ascending order.
/// Features are numbers; each set is sorted.
pub fn smallest(sets: &[&[u32]]) -> Vec<usize> {
    let features = sets.iter().flat_map(|set| set.iter());
    let count = features.max().map_or(0, |&most| most as usize + 1);
    let mut having: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (at, set) in (0u32..).zip(sets) {
        for &feature in *set {
            having[feature as usize].push(at);
        }
    }
    let mut rarest: Vec<usize> = (0..count).filter(|&it| !having[it].is_empty()).collect();
    rarest.sort_by_key(|&feature| having[feature].len());
    let mut times = vec![0u32; count];
    let mut chosen = Vec::new();
    for feature in rarest {
        if times[feature] > 0 {
            continue;
        }
        let adds = |set: &[u32]| set.iter().filter(|&&it| times[it as usize] == 0).count();
        let best = having[feature].iter();
        let best = best.max_by_key(|&&at| (adds(sets[at as usize]), Reverse(at)));
        let Some(&best) = best else {
            continue;
        };
        for &feature in sets[best as usize] {
            times[feature as usize] += 1;
        }
        chosen.push(best as usize);
    }
    // Those that were chosen first had the fewest alternatives: they are the last to go.
    for at in (0..chosen.len()).rev() {
        let set = sets[chosen[at]];
        if set.iter().all(|&feature| times[feature as usize] > 1) {
            for &feature in set {
                times[feature as usize] -= 1;
            }
            chosen.remove(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn features<'s>(sets: impl IntoIterator<Item = &'s [u32]>) -> BTreeSet<u32> {
        sets.into_iter().flatten().copied().collect()
    }

    /// The number of sets that are needed, by trying all choices.
    fn needed(sets: &[&[u32]]) -> u32 {
        let all = features(sets.iter().copied());
        let chosen = |choice: u32| (0..sets.len()).filter(move |at| choice >> at & 1 == 1);
        let covers = |&choice: &u32| features(chosen(choice).map(|at| sets[at])) == all;
        let choices = (0..1u32 << sets.len()).filter(covers);
        choices.map(u32::count_ones).min().unwrap_or(0)
    }

    #[test]
    fn small_suites_are_near_the_smallest_of_all_choices() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut more, mut cases) = (0, 0);
        for _ in 0..400 {
            let count = random.usize(0..9);
            let most = random.u32(1..14);
            let sets: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..most).filter(|_| random.u8(..) < 80).collect())
                .collect();
            let sets: Vec<&[u32]> = sets.iter().map(|set| &set[..]).collect();
            let found = smallest(&sets);
            let of = |chosen: &[usize]| features(chosen.iter().map(|&at| sets[at]));
            assert_eq!(of(&found), features(sets.iter().copied()));
            for at in 0..found.len() {
                let mut fewer = found.clone();
                fewer.remove(at);
                assert!(of(&fewer) != of(&found), "one of {found:?} is superfluous");
            }
            let needed = needed(&sets) as usize;
            assert!(
                found.len() <= needed + 1,
                "{found:?} for {needed} of {sets:?}"
            );
            more += found.len() - needed;
            cases += 1;
        }
        assert!(more * 20 < cases, "{more} too many in {cases} suites");
    }
}

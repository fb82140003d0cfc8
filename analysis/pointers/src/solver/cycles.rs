//! Strongly connected components of the constraint graph, and the weights of their cycles.
//!
//! [`components`] is Tarjan's algorithm with an explicit stack (the graphs are deep); petgraph's
//! condensation is what the tests compare it with. [`period`] finds how pointers move around the
//! cycles of one component: cycles along which a pointer comes back unmoved are harmless, any
//! other would enumerate offsets one by one.

use crate::constraints::{Offset, gcd};

/// The edges of a graph, by the vertex that they come from.
#[derive(Clone, Default, Debug)]
pub struct Successors {
    /// For each vertex where its successors end.
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl Successors {
    /// Adds a vertex, the next one, with its successors.
    pub fn push(&mut self, successors: impl IntoIterator<Item = u32>) {
        self.all.extend(successors);
        self.ends.push(self.all.len() as u32);
    }

    /// Those of vertices `0..count` along edges from and to.
    pub fn of_edges(count: u32, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut ends = vec![0; count as usize + 1];
        for (from, _) in edges.clone() {
            ends[from as usize + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut all = vec![0; ends[count as usize] as usize];
        for (from, to) in edges {
            // What starts where the vertex before ends, ends where the vertex after starts.
            let at = &mut ends[from as usize];
            all[*at as usize] = to;
            *at += 1;
        }
        ends.pop();
        Self { ends, all }
    }

    /// Number of vertices.
    fn len(&self) -> usize {
        self.ends.len()
    }

    /// The successors of a vertex.
    fn of(&self, vertex: usize) -> &[u32] {
        let start = vertex.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[vertex] as usize]
    }
}

impl<R: IntoIterator<Item = u32>> FromIterator<R> for Successors {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut successors = Self::default();
        rows.into_iter().for_each(|row| successors.push(row));
        successors
    }
}

/// Component number of each vertex. Components are numbered in reverse topological order: an
/// edge never leads to a component with a higher number.
pub fn components(successors: &Successors) -> Vec<u32> {
    components_and_order(successors).0
}

/// The same, and all vertices in reverse topological order: an edge that leads to a later vertex
/// stays in its component.
pub fn components_and_order(successors: &Successors) -> (Vec<u32>, Vec<u32>) {
    const UNSEEN: u32 = u32::MAX;
    let count = successors.len();
    let mut component = vec![UNSEEN; count];
    let (mut index, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
    let (mut open, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut next_index, mut next_component) = (0, 0);
    let mut order = Vec::with_capacity(count);
    for root in 0..count as u32 {
        if index[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (vertex, ref mut at)) = path.last_mut() {
            let here = vertex as usize;
            if *at == 0 {
                index[here] = next_index;
                low[here] = next_index;
                next_index += 1;
                open.push(vertex);
            }
            if let Some(&successor) = successors.of(here).get(*at) {
                *at += 1;
                let there = successor as usize;
                if index[there] == UNSEEN {
                    path.push((successor, 0));
                } else if component[there] == UNSEEN {
                    low[here] = low[here].min(index[there]);
                }
                continue;
            }
            path.pop();
            order.push(vertex);
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[here]);
            }
            if low[here] == index[here] {
                while let Some(member) = open.pop() {
                    component[member as usize] = next_component;
                    if member == vertex {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    (component, order)
}

/// How far pointers move around the cycles of one component, as a stride: the greatest common
/// divisor of the weights of all cycles; 0 if every cycle brings a pointer back unmoved.
/// `edges` are the edges inside of the component between vertices `0..count`.
pub fn period(count: usize, edges: &[(u32, u32, Offset)]) -> u64 {
    let mut around: Vec<Vec<(u32, i64)>> = vec![Vec::new(); count];
    let mut stride = 0;
    for &(from, to, by) in edges {
        stride = gcd(stride, u64::from(by.stride));
        around[from as usize].push((to, i64::from(by.residue)));
        around[to as usize].push((from, -i64::from(by.residue)));
    }
    let mut potential: Vec<Option<i64>> = vec![None; count];
    for root in 0..count {
        if potential[root].is_some() {
            continue;
        }
        potential[root] = Some(0);
        let mut open = vec![root];
        while let Some(vertex) = open.pop() {
            let here = potential[vertex].unwrap_or(0);
            for &(neighbour, by) in &around[vertex] {
                match potential[neighbour as usize] {
                    None => {
                        potential[neighbour as usize] = Some(here + by);
                        open.push(neighbour as usize);
                    }
                    Some(there) => stride = gcd(stride, (here + by).abs_diff(there)),
                }
            }
        }
    }
    stride
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    #[test]
    fn components_agree_with_petgraph() {
        let mut random = Rng::with_seed(11);
        for round in 0..300 {
            let count = 1 + round % 30;
            let mut successors = vec![Vec::new(); count as usize];
            for _ in 0..random.u32(..2 * count) {
                let from = random.u32(..count) as usize;
                successors[from].push(random.u32(..count));
            }
            let edges = successors
                .iter()
                .enumerate()
                .flat_map(|(from, targets)| targets.iter().map(move |&to| (from as u32, to)));
            let mut graph = petgraph::graph::DiGraph::<(), ()>::from_edges(edges);
            while graph.node_count() < count as usize {
                graph.add_node(());
            }
            let (found, order) = components_and_order(&successors.iter().cloned().collect());
            let mut position = vec![usize::MAX; count as usize];
            for (at, &vertex) in order.iter().enumerate() {
                position[vertex as usize] = at;
            }
            for group in petgraph::algo::kosaraju_scc(&graph) {
                let number = found[group[0].index()];
                assert!(group.iter().all(|vertex| found[vertex.index()] == number));
                assert_eq!(
                    found.iter().filter(|&&other| other == number).count(),
                    group.len()
                );
            }
            for (from, targets) in successors.iter().enumerate() {
                assert!(targets.iter().all(|&to| found[to as usize] <= found[from]));
                let later = |to: u32| position[to as usize] > position[from];
                let mut later = targets.iter().filter(|&&to| later(to));
                assert!(later.all(|&to| found[to as usize] == found[from]));
            }
        }
    }

    #[test]
    fn period_is_the_divisor_of_all_cycle_weights() {
        let by = Offset::exact;
        assert_eq!(period(2, &[(0, 1, by(8)), (1, 0, by(-8))]), 0);
        assert_eq!(period(2, &[(0, 1, by(8)), (1, 0, by(0))]), 8);
        assert_eq!(
            period(2, &[(0, 1, by(8)), (1, 0, by(16)), (1, 0, by(4))]),
            12
        );
        assert_eq!(period(1, &[(0, 0, Offset::strided(24, 8))]), 8);
    }
    /// The weights of all cycles that pass no vertex twice and come back to where they started, the
    /// least of their vertices.
    fn weights(edges: &[(u32, u32, Offset)], path: &mut Vec<u32>, weight: i64, all: &mut Vec<i64>) {
        let (first, last) = (path[0], path[path.len() - 1]);
        for &(_, to, by) in edges.iter().filter(|edge| edge.0 == last) {
            let weight = weight + i64::from(by.residue);
            if to == first {
                all.push(weight);
            } else if to > first && !path.contains(&to) {
                path.push(to);
                weights(edges, path, weight, all);
                path.pop();
            }
        }
    }

    #[test]
    fn period_agrees_with_all_cycles_one_by_one() {
        let mut random = Rng::with_seed(5);
        for _ in 0..2000 {
            let count = 1 + random.u32(..5);
            // A cycle through all, and edges across.
            let mut edges = Vec::new();
            for at in 0..count + random.u32(..5) {
                let (from, to) = match at < count {
                    true => (at, (at + 1) % count),
                    false => (random.u32(..count), random.u32(..count)),
                };
                let by = 4 * i64::from(random.u32(..13)) - 24;
                edges.push((from, to, Offset::exact(by)));
            }
            let mut all = Vec::new();
            for first in 0..count {
                weights(&edges, &mut vec![first], 0, &mut all);
            }
            let divisor = all.iter().fold(0, |all, one| gcd(all, one.unsigned_abs()));
            assert_eq!(period(count as usize, &edges), divisor, "{edges:?}");
        }
    }
}

//! The result: which objects each pointer can point to, without offsets and constraint nodes.
//!
//! Sets are shared: everything that refers to a set refers to a position in [`PointsTo::sets`].
//! Registers and dereferences are reported per function, as the union over its contexts. The
//! distinct sets before that union are kept too: they are what memory segments are made of.

use crate::config::PointsToConfig;
use crate::constraints::Node;
use crate::extract::Extraction;
use crate::report::objects::{AbstractObject, CallSite};
use crate::report::statistics::Statistics;
use crate::solver::set::Set;
use crate::solver::solved::Solved;
use plat_program::{Callee, FuncId, Inst, InstId, Program, Reg};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The version of the file format.
pub const VERSION: u32 = 3;

/// What a file of this kind calls itself.
pub const FORMAT: &str = "plat points-to";

/// The sets of a function's registers: register and set, sorted.
pub type RegisterSets = Vec<(Reg, u32)>;

/// The result of the analysis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PointsTo {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The name of the program.
    pub program: String,
    /// A fingerprint of the program ([`crate::report::fingerprint::fingerprint`]).
    pub fingerprint: String,
    /// The call sites of contexts.
    pub sites: Vec<CallSite>,
    /// The objects.
    pub objects: Vec<AbstractObject>,
    /// Distinct sets of positions in `objects`, each sorted; set 0 is the empty set.
    pub sets: Vec<Vec<u32>>,
    /// For each function its registers that point to anything, sorted.
    pub registers: BTreeMap<FuncId, RegisterSets>,
    /// The set of the pointer of each load, store or other dereferencing instruction, sorted.
    /// An instruction with several pointers has several entries.
    pub dereferences: Vec<(InstId, u32)>,
    /// The distinct sets of all pointers, per context, pointers in memory included; sorted.
    pub pointer_sets: Vec<u32>,
    /// The distinct sets of all dereferenced pointers, per context; sorted.
    pub dereferenced_sets: Vec<u32>,
    /// What each instruction dereferences in its contexts: every distinct set that has a heap
    /// object; sorted.
    pub heap_dereferences: Vec<(InstId, u32)>,
    /// The sets that a pointer chosen by symbolic input is in, and what chooses it, where known.
    /// Only the taint analysis fills this in; sorted.
    pub symbolic: Option<Vec<(Option<InstId>, u32)>>,
    /// The positions in `callees` of the functions that each call can reach; sorted.
    pub calls: Vec<(InstId, u32)>,
    /// Distinct sets of functions, each sorted.
    pub callees: Vec<Vec<FuncId>>,
    /// Functions that were analysed once per call string, sorted by name.
    pub cloned: Vec<String>,
    /// Functions whose direct calls were described by the table of library functions.
    pub summarised: Vec<String>,
    /// Functions without body that are not in the table, and other code that cannot be seen.
    /// Pointers handed to them count as able to go anywhere.
    pub unknown: Vec<String>,
    /// Measures.
    pub statistics: Statistics,
}

impl PointsTo {
    /// The objects that a register can point to.
    pub fn register(&self, function: FuncId, reg: Reg) -> &[u32] {
        let set = self.registers.get(&function).and_then(|all| {
            let at = all.binary_search_by_key(&reg, |&(reg, _)| reg).ok()?;
            Some(all[at].1)
        });
        set.map_or(&[], |set| self.sets[set as usize].as_slice())
    }

    /// The sets of the pointers that an instruction dereferences.
    pub fn dereferenced(&self, inst: InstId) -> impl Iterator<Item = &[u32]> {
        let first = self
            .dereferences
            .partition_point(|&(other, _)| other < inst);
        let these = self.dereferences[first..]
            .iter()
            .take_while(move |&&(other, _)| other == inst);
        these.map(|&(_, set)| self.sets[set as usize].as_slice())
    }

    /// The functions that a call can reach.
    pub fn targets(&self, inst: InstId) -> &[FuncId] {
        match self.calls.binary_search_by_key(&inst, |(inst, _)| *inst) {
            Ok(at) => &self.callees[self.calls[at].1 as usize],
            Err(_) => &[],
        }
    }
}

/// The sets of a result while it is made: object sets, shared.
struct Sets<'a> {
    solved: &'a Solved,
    renumbered: &'a [Option<u32>],
    sets: Vec<Vec<u32>>,
    numbers: FxHashMap<Vec<u32>, u32>,
    /// By the addresses of sets that the solution shares.
    of_solved: FxHashMap<*const Set, u32>,
    unions: FxHashMap<(u32, u32), u32>,
    /// A bit for each object, all zero between sets.
    dense: Vec<u64>,
}

impl Sets<'_> {
    fn share(&mut self, set: Vec<u32>) -> u32 {
        if let Some(&number) = self.numbers.get(&set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    fn of_node(&mut self, node: Node) -> u32 {
        self.of_set(self.solved.of_node[node.index()])
    }

    fn of_set(&mut self, at: u32) -> u32 {
        let shared = &self.solved.sets[at as usize];
        if let Some(&known) = self.of_solved.get(&Rc::as_ptr(shared)) {
            return known;
        }
        let places = shared.iter();
        let objects = places.map(|place| self.solved.locations[place as usize].object);
        for number in objects.filter_map(|object| self.renumbered[object.index()]) {
            self.dense[number as usize / 64] |= 1 << (number % 64);
        }
        let set = Set::drained(&mut self.dense, 0).iter().collect();
        let number = self.share(set);
        self.of_solved.insert(Rc::as_ptr(shared), number);
        number
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        if let Some(&known) = self.unions.get(&(a.min(b), a.max(b))) {
            return known;
        }
        let both = self.sets[a as usize].iter().chain(&self.sets[b as usize]);
        let mut union: Vec<u32> = both.copied().collect();
        union.sort_unstable();
        union.dedup();
        let union = self.share(union);
        self.unions.insert((a.min(b), a.max(b)), union);
        union
    }
}

/// Which objects appear in the result: those that a pointer points to, and every heap object
/// that a reachable call makes.
pub fn renumber(extraction: &Extraction, solved: &Solved) -> Vec<Option<u32>> {
    let mut used = vec![false; extraction.objects.len()];
    let mut seen = FxHashSet::default();
    let distinct = solved
        .sets
        .iter()
        .filter(|set| seen.insert(Rc::as_ptr(set)));
    for set in distinct {
        for place in set.iter() {
            used[solved.locations[place as usize].object.index()] = true;
        }
    }
    // What is never entered allocates nothing.
    let live = extraction.live(solved);
    for (object, instance) in &extraction.allocated {
        used[object.index()] &= live[instance.index()];
    }
    let mut next = 0;
    let number = |used: bool| {
        used.then(|| {
            next += 1;
            next - 1
        })
    };
    used.into_iter().map(number).collect()
}

/// A call site as it is written to files.
pub fn call_site(program: &Program, inst: InstId) -> CallSite {
    let (id, at) = program.position(inst);
    let function = program.function(id);
    let callee = match &function.insts[at] {
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
            Callee::Direct(callee) => program.function(callee).name.clone(),
            _ => "*".to_string(),
        },
        _ => String::new(),
    };
    let location = program.location_of(inst);
    CallSite {
        function: function.name.clone(),
        call: function.call_ordinals[at],
        callee,
        file: location.file.clone(),
        line: location.line,
    }
}

/// Makes the result from a solution.
pub fn report(
    program: &Program,
    config: &PointsToConfig,
    clones: &crate::cloning::Clones,
    extraction: &Extraction,
    solved: &Solved,
) -> PointsTo {
    let renumbered = renumber(extraction, solved);
    let mut sets = Sets {
        solved,
        renumbered: &renumbered,
        sets: vec![Vec::new()],
        numbers: FxHashMap::from_iter([(Vec::new(), 0)]),
        of_solved: FxHashMap::default(),
        unions: FxHashMap::default(),
        dense: vec![0; renumbered.len() / 64 + 1],
    };
    let registers = registers(program, extraction, &mut sets);
    let (mut dereferences, mut dereferenced_sets) = (BTreeMap::new(), BTreeSet::new());
    let mut in_contexts = BTreeSet::new();
    for dereference in &extraction.dereferences {
        let set = sets.of_node(dereference.pointer);
        dereferenced_sets.insert(set);
        in_contexts.insert((dereference.inst, set));
        let entry = dereferences
            .entry((dereference.inst, dereference.operand))
            .or_insert(set);
        *entry = sets.union(*entry, set);
    }
    let nodes = (0..extraction.system.nodes).map(Node);
    let mut pointer_sets: BTreeSet<u32> = nodes.map(|node| sets.of_node(node)).collect();
    for &(_, _, at) in &solved.memory {
        pointer_sets.insert(sets.of_set(at));
    }
    pointer_sets.remove(&0);
    dereferenced_sets.remove(&0);
    let objects = extraction
        .objects
        .iter()
        .zip(&renumbered)
        .filter(|(_, number)| number.is_some());
    let name = |&id: &FuncId| program.function(id).name.clone();
    let mut cloned: Vec<String> = extraction
        .instances
        .iter()
        .filter(|instance| clones.contains(instance.function))
        .map(|instance| name(&instance.function))
        .collect();
    cloned.sort();
    cloned.dedup();
    let objects: Vec<AbstractObject> = objects.map(|(object, _)| object.clone()).collect();
    let heap = |&object: &u32| matches!(objects[object as usize], AbstractObject::Heap { .. });
    in_contexts.retain(|&(_, set)| sets.sets[set as usize].iter().any(heap));
    let graph = crate::report::call_graph::call_graph(extraction, solved);
    let mut result = PointsTo {
        format: FORMAT.to_string(),
        version: VERSION,
        program: program.name.clone(),
        fingerprint: crate::report::fingerprint::fingerprint(program),
        sites: extraction
            .sites
            .iter()
            .map(|&inst| call_site(program, inst))
            .collect(),
        objects,
        registers,
        dereferences: dereferences
            .into_iter()
            .map(|((inst, _), set)| (inst, set))
            .collect(),
        pointer_sets: pointer_sets.into_iter().collect(),
        dereferenced_sets: dereferenced_sets.into_iter().collect(),
        heap_dereferences: in_contexts.into_iter().collect(),
        symbolic: None,
        calls: graph.calls,
        callees: graph.callees,
        cloned,
        summarised: extraction.summarised.iter().map(name).collect(),
        unknown: extraction.unknown.iter().cloned().collect(),
        statistics: Statistics::default(),
        sets: sets.sets,
    };
    result.statistics = Statistics::of(program, config, extraction, solved, &result);
    result
}

fn registers(
    program: &Program,
    extraction: &Extraction,
    sets: &mut Sets<'_>,
) -> BTreeMap<FuncId, RegisterSets> {
    let mut all: BTreeMap<FuncId, BTreeMap<Reg, u32>> = BTreeMap::new();
    for instance in &extraction.instances {
        for at in 0..program.function(instance.function).reg_types.len() {
            let reg = Reg::new(at);
            let set = sets.of_node(instance.node(reg));
            if set != 0 {
                let entry = all
                    .entry(instance.function)
                    .or_default()
                    .entry(reg)
                    .or_insert(set);
                *entry = sets.union(*entry, set);
            }
        }
    }
    all.into_iter()
        .map(|(function, regs)| (function, regs.into_iter().collect()))
        .collect()
}

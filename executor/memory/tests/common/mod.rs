//! A toy engine over the memory crate: paths that follow the outcomes of resolutions.
#![allow(dead_code, reason = "each test uses a part")]

use plat_expr::{Assignment, EvalMemo, ExprId, ObjectId, Pool, SymbolId, TRUE, Value};
use plat_memory::model::Entry;
use plat_memory::{
    AccessKind, Cx, Fault, Kind, Memory, MemoryStats, ModelConfig, Objects, Outcome, Request, Site,
    Target,
};
use plat_program::{GroupId, InstId};
use plat_solver::{Oracle, PathCondition, SolverConfig};

/// The tables of a run.
pub struct Run {
    pub pool: Pool,
    pub oracle: Oracle,
    pub objects: Objects,
    pub stats: MemoryStats,
    pub inputs: Vec<SymbolId>,
}

/// One path.
#[derive(Clone)]
pub struct Path {
    pub memory: Memory,
    pub pc: PathCondition,
    /// The values computed so far, 64 bits each.
    pub values: Vec<Value>,
    pub fault: Option<Fault>,
}

impl Run {
    /// A run with so many symbolic bytes.
    pub fn new(inputs: usize) -> Self {
        let mut pool = Pool::new();
        let names = ["x", "y", "z"];
        let inputs = (0..inputs).map(|at| pool.symbol(names[at], 0, 1)).collect();
        Self {
            pool,
            oracle: oracle(),
            objects: Objects::new(),
            stats: MemoryStats::default(),
            inputs,
        }
    }

    /// An input byte, zero-extended to 64 bits.
    pub fn input(&mut self, at: usize) -> ExprId {
        let byte = self.pool.symbol_byte(self.inputs[at], 0);
        self.pool.zext(byte, 64)
    }

    /// The assignment of these bytes to the inputs.
    pub fn assign(&self, bytes: &[u8]) -> Assignment {
        let mut assignment = Assignment::new();
        for (&symbol, &byte) in self.inputs.iter().zip(bytes) {
            assignment.set_byte(symbol, 0, byte);
        }
        assignment
    }

    pub fn cx<'a>(&'a mut self, pc: &'a PathCondition) -> Cx<'a> {
        Cx {
            pool: &mut self.pool,
            oracle: &mut self.oracle,
            pc,
            objects: &mut self.objects,
            at: Some(InstId(1)),
            stats: &mut self.stats,
        }
    }

    pub fn constant(&mut self, value: u64) -> ExprId {
        self.pool.constant(64, value)
    }

    /// Whether a path is the one that an input takes.
    pub fn takes(&self, path: &Path, input: &Assignment) -> bool {
        let mut memo = EvalMemo::default();
        path.pc
            .constraints()
            .all(|constraint| self.pool.holds(constraint, input, &mut memo))
    }

    pub fn eval(&mut self, value: Value, bits: u32, input: &Assignment) -> u64 {
        let expr = value.to_expr(&mut self.pool, bits);
        self.pool.eval(expr, input, &mut EvalMemo::default())
    }
}

/// A solver stack for tests.
pub fn oracle() -> Oracle {
    Oracle::new(&SolverConfig::default()).expect("the default solver exists")
}

pub fn request(kind: Kind, size: u64, group: Option<u32>) -> Request {
    Request {
        kind,
        size,
        align: 16,
        site: Site::Inst(InstId(size as u32)),
        group: group.map(GroupId),
        context: None,
        zero: false,
    }
}

impl Path {
    /// The first path of a program under a model.
    pub fn new(model: &Entry, config: &ModelConfig) -> Self {
        let allocator = default_allocator();
        Self {
            memory: Memory::new((model.make)(config), allocator).split(config.splitting),
            pc: PathCondition::new(),
            values: Vec::new(),
            fault: None,
        }
    }

    pub fn allocate(&mut self, run: &mut Run, request: &Request) -> ObjectId {
        let pointer = self.memory.allocate(&mut run.cx(&self.pc), request);
        let Ok(Value::Pointer(object, 0)) = pointer else {
            panic!("{pointer:?}");
        };
        object
    }

    /// The paths on which an access through `pointer` goes on or faults; faulty paths carry
    /// their fault, the others are paired with their targets.
    pub fn access(
        mut self,
        run: &mut Run,
        pointer: Value,
        size: u64,
        kind: AccessKind,
    ) -> Vec<(Path, Vec<Target>)> {
        let pointer = pointer.to_expr(&mut run.pool, 64);
        let pc = self.pc.clone();
        let resolution = self
            .memory
            .resolve(&mut run.cx(&pc), pointer, size, kind)
            .expect("the solver answers");
        assert!(!resolution.outcomes.is_empty());
        let follow = |outcome: Outcome| {
            let mut path = self.clone();
            if outcome.guard != TRUE {
                let model = outcome.model.expect("a guarded outcome has a model");
                let holds = (run.pool).holds(outcome.guard, &model, &mut EvalMemo::default());
                assert!(holds, "the model of an outcome satisfies its guard");
                path.pc.add(&mut run.pool, outcome.guard, &model);
            }
            let targets = match outcome.then {
                Ok(targets) => targets,
                Err(fault) => {
                    path.fault = Some(fault);
                    Vec::new()
                }
            };
            (path, targets)
        };
        resolution.outcomes.into_iter().map(follow).collect()
    }

    /// Reads `bits` bits through any pointer: one path for each outcome.
    pub fn load(self, run: &mut Run, pointer: Value, bits: u32) -> Vec<(Path, Option<Value>)> {
        if let Value::Pointer(object, offset) = pointer {
            let mut path = self;
            let value = path
                .memory
                .load(&mut run.pool, &run.objects, object, offset, bits);
            path.fault = value.err();
            return vec![(path, value.ok())];
        }
        let size = u64::from(bits.div_ceil(8));
        let mut result = Vec::new();
        for (mut path, targets) in self.access(run, pointer, size, AccessKind::Read) {
            let value = path.fault.is_none().then(|| {
                let pc = path.pc.clone();
                path.memory.load_at(&mut run.cx(&pc), &targets, bits)
            });
            result.push((path, value));
        }
        result
    }

    /// Writes `bits` bits through any pointer.
    pub fn store(self, run: &mut Run, pointer: Value, value: Value, bits: u32) -> Vec<Path> {
        if let Value::Pointer(object, offset) = pointer {
            let mut path = self;
            let (pool, objects) = (&mut run.pool, &run.objects);
            let done = path
                .memory
                .store(pool, objects, object, offset, value, bits);
            path.fault = done.err();
            return vec![path];
        }
        let size = u64::from(bits.div_ceil(8));
        let mut result = Vec::new();
        for (mut path, targets) in self.access(run, pointer, size, AccessKind::Write) {
            if path.fault.is_none() {
                let pc = path.pc.clone();
                path.memory
                    .store_at(&mut run.cx(&pc), &targets, value, bits);
            }
            result.push(path);
        }
        result
    }

    /// Frees any pointer.
    pub fn free(self, run: &mut Run, pointer: Value) -> Vec<Path> {
        let mut result = Vec::new();
        for (mut path, targets) in self.access(run, pointer, 0, AccessKind::Free) {
            assert!(targets.len() <= 1, "what is freed is one object");
            if let Some(target) = targets.first() {
                assert_eq!(target.objects.len(), 1);
                let pc = path.pc.clone();
                let mut cx = run.cx(&pc);
                path.memory.release(&mut cx, target.objects[0], InstId(99));
            }
            result.push(path);
        }
        result
    }
}

/// The default allocator with its default options.
fn default_allocator() -> Box<dyn plat_allocator::Allocator> {
    let entry = plat_allocator::named(plat_allocator::DEFAULT).expect("the default exists");
    (entry.make)(&plat_allocator::AllocatorConfig::default())
}

//! The pool: the table of all expressions, hash-consed, with what is known about each.
//!
//! Equal nodes have equal ids, so comparing, hashing and memoising are operations on `u32`s.
//! Facts, dependences and the base flags of a node are derived when it is made; no traversal in
//! this crate recurses on the depth of an expression. Nothing is ever removed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::fold::mask;
use crate::ids::{AggregateId, ExprId, ObjectId, SymbolId, TableId};
use crate::limbs::{self, Limbs};
use crate::node::Node;
use crate::shape::Shape;
use crate::symbols::{SymbolSet, SymbolSets};
use crate::table::Table;
use crate::value::Value;

/// The name of an array of symbolic bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymbolInfo {
    /// The name that the program gave it.
    pub name: String,
    /// How many symbols of that name came before it on the path.
    pub occurrence: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// A node as stored.
#[derive(Clone, Copy)]
struct Entry {
    node: Node,
    width: u32,
    /// The set of symbolic bytes it depends on.
    symbols: u32,
}

/// A base occurs somewhere in it.
const HAS_BASE: u8 = 1;
/// A base occurs in pointer position (see [`Pool::shape`]).
const IS_POINTER: u8 = 2;
/// A constant of any width.
const IS_CONSTANT: u8 = 4;
/// What [`Pool::fold_or_hoist`] can do something about: a constant, a choice, a read.
pub(crate) const FOLDS: u8 = 8;
/// What may be a multiple of something else: a product, a concatenation, an extension.
pub(crate) const MULTIPLE: u8 = 16;
/// A complement.
pub(crate) const IS_NOT: u8 = 32;

/// All expressions of a run.
pub struct Pool {
    entries: Vec<Entry>,
    facts: Vec<Facts>,
    flags: Vec<u8>,
    /// Open addressing: id + 1 of the node in each slot (0 when free) and its hash.
    slots: Vec<(u32, u32)>,
    wide: Vec<Box<[u64]>>,
    wide_ids: FxHashMap<(u32, Box<[u64]>), u32>,
    symbol_infos: Vec<SymbolInfo>,
    symbol_ids: FxHashMap<SymbolInfo, SymbolId>,
    objects: Vec<u64>,
    pub(crate) sets: SymbolSets,
    pub(crate) tables: Vec<Table>,
    pub(crate) table_ids: FxHashMap<Arc<[ExprId]>, TableId>,
    pub(crate) derived_tables: FxHashMap<crate::table::Derivation, Option<TableId>>,
    pub(crate) aggregates: Vec<Arc<[Value]>>,
    pub(crate) aggregate_ids: FxHashMap<Arc<[Value]>, AggregateId>,
    pub(crate) numbers: FxHashMap<ExprId, ExprId>,
    pub(crate) shapes: FxHashMap<ExprId, Option<Arc<Shape>>>,
    /// Rewrites that a constructor may still make on operands of operands, see [`Pool::enter`].
    fuel: u32,
    depth: u32,
}

/// The constant 0 of one bit.
pub const FALSE: ExprId = ExprId(0);
/// The constant 1 of one bit.
pub const TRUE: ExprId = ExprId(1);

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// A pool with the constants [`FALSE`] and [`TRUE`].
    pub fn new() -> Self {
        let mut pool = Self {
            entries: Vec::new(),
            facts: Vec::new(),
            flags: Vec::new(),
            slots: vec![(0, 0); 1 << 12],
            wide: Vec::new(),
            wide_ids: FxHashMap::default(),
            symbol_infos: Vec::new(),
            symbol_ids: FxHashMap::default(),
            objects: Vec::new(),
            sets: SymbolSets::new(),
            tables: Vec::new(),
            table_ids: FxHashMap::default(),
            derived_tables: FxHashMap::default(),
            aggregates: Vec::new(),
            aggregate_ids: FxHashMap::default(),
            numbers: FxHashMap::default(),
            shapes: FxHashMap::default(),
            fuel: 0,
            depth: 0,
        };
        let (zero, one) = (pool.constant(1, 0), pool.constant(1, 1));
        debug_assert!(zero == FALSE && one == TRUE);
        pool
    }

    /// How many distinct expressions there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no expression (never, see [`Pool::new`]).
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The width of `e` in bits, at least 1.
    #[inline]
    pub fn width(&self, e: ExprId) -> u32 {
        self.entries[e.index()].width
    }

    /// The operator and operands of `e`.
    #[inline]
    pub fn node(&self, e: ExprId) -> Node {
        self.entries[e.index()].node
    }

    #[inline]
    pub(crate) fn facts(&self, e: ExprId) -> Facts {
        self.facts[e.index()]
    }

    /// Whether the address of an object occurs in `e`.
    #[inline]
    pub fn has_base(&self, e: ExprId) -> bool {
        self.flags[e.index()] & HAS_BASE != 0
    }

    /// Whether `e` was recognised as an object's address plus something when it was made; a
    /// quick approximation of [`Pool::shape`].
    #[inline]
    pub(crate) fn is_pointer(&self, e: ExprId) -> bool {
        self.flags[e.index()] & IS_POINTER != 0
    }

    /// Whether `e` depends on any symbolic byte.
    pub fn has_symbol(&self, e: ExprId) -> bool {
        self.entries[e.index()].symbols != 0
    }

    /// The symbolic bytes that `e` depends on; for a read, those of the index and of every
    /// element.
    pub fn symbols(&self, e: ExprId) -> &SymbolSet {
        self.sets.get(self.entries[e.index()].symbols)
    }

    pub(crate) fn symbol_set_id(&self, e: ExprId) -> u32 {
        self.entries[e.index()].symbols
    }

    /// A constant of at most 64 bits, or wider with zeros above; bits of `value` beyond the
    /// width are dropped.
    pub fn constant(&mut self, width: u32, value: u64) -> ExprId {
        if width > 64 {
            return self.constant_limbs(width, &[value]);
        }
        self.intern(Node::Const(value & mask(width)), width)
    }

    /// A constant from up to 128 bits.
    pub fn constant_u128(&mut self, width: u32, value: u128) -> ExprId {
        self.constant_limbs(width, &[value as u64, (value >> 64) as u64])
    }

    /// A constant from little-endian 64-bit limbs, cut or zero-extended to `width`.
    pub fn constant_limbs(&mut self, width: u32, value: &[u64]) -> ExprId {
        if width <= 64 {
            return self.constant(width, value.first().copied().unwrap_or(0));
        }
        let key = (
            width,
            limbs::resize(value.to_vec(), width).into_boxed_slice(),
        );
        let at = match self.wide_ids.get(&key) {
            Some(&at) => at,
            None => {
                let at = u32::try_from(self.wide.len()).expect("fewer than 2^32 constants");
                self.wide.push(key.1.clone());
                self.wide_ids.insert(key, at);
                at
            }
        };
        self.intern(Node::Wide(at), width)
    }

    /// A constant of one bit.
    pub const fn bool(&self, value: bool) -> ExprId {
        if value { TRUE } else { FALSE }
    }

    /// The value of a constant of at most 64 bits.
    pub fn as_u64(&self, e: ExprId) -> Option<u64> {
        match self.node(e) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The limbs of any constant, least significant first.
    pub fn as_limbs(&self, e: ExprId) -> Option<Limbs> {
        match self.node(e) {
            Node::Const(value) => Some(vec![value]),
            Node::Wide(at) => Some(self.wide[at as usize].to_vec()),
            _ => None,
        }
    }

    pub(crate) fn wide_constant(&self, at: u32) -> &[u64] {
        &self.wide[at as usize]
    }

    /// Whether `e` is a constant of any width.
    #[inline]
    pub fn is_constant(&self, e: ExprId) -> bool {
        self.flags[e.index()] & IS_CONSTANT != 0
    }

    /// What kind of expression it is, so that rules that do not apply are skipped at once.
    #[inline]
    pub(crate) fn flags(&self, e: ExprId) -> u8 {
        self.flags[e.index()]
    }

    /// Operands of a commutative operation in canonical order: a constant last, a base first,
    /// else by age.
    #[inline]
    pub(crate) fn ordered(&self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let key = |e: ExprId| {
            let flags = self.flags[e.index()];
            let class = (flags & IS_CONSTANT) | u8::from(flags & IS_POINTER == 0);
            u64::from(class) << 32 | u64::from(e.0)
        };
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// Whether `e` is the constant 1 of one bit.
    pub fn is_true(&self, e: ExprId) -> bool {
        e == TRUE
    }

    /// Whether `e` is the constant 0 of one bit.
    pub fn is_false(&self, e: ExprId) -> bool {
        e == FALSE
    }

    /// The symbol of that name, occurrence and size, made on first request.
    pub fn symbol(&mut self, name: &str, occurrence: u32, size: u32) -> SymbolId {
        let info = SymbolInfo {
            name: name.to_owned(),
            occurrence,
            size,
        };
        if let Some(&id) = self.symbol_ids.get(&info) {
            return id;
        }
        let id = SymbolId::new(self.symbol_infos.len());
        self.symbol_infos.push(info.clone());
        self.symbol_ids.insert(info, id);
        id
    }

    /// The name of a symbol.
    pub fn symbol_info(&self, symbol: SymbolId) -> &SymbolInfo {
        &self.symbol_infos[symbol.index()]
    }

    /// One byte of a symbol.
    pub fn symbol_byte(&mut self, symbol: SymbolId, index: u32) -> ExprId {
        debug_assert!(index < self.symbol_info(symbol).size, "beyond the symbol");
        self.intern(Node::Symbol(symbol, index), 8)
    }

    /// A new object at the address `number`.
    pub fn new_object(&mut self, number: u64) -> ObjectId {
        self.objects.push(number);
        ObjectId::new(self.objects.len() - 1)
    }

    /// The address of an object.
    pub fn object_number(&self, object: ObjectId) -> u64 {
        self.objects[object.index()]
    }

    /// The address of an object, as a leaf.
    pub fn base(&mut self, object: ObjectId) -> ExprId {
        self.intern(Node::Base(object), 64)
    }

    /// Permission for a rewrite that descends into operands of operands. The outermost such
    /// rewrite gets a fixed amount of fuel for all those it causes, so that building one node
    /// takes bounded time and stack whatever its operands are. Each `true` needs a
    /// [`Pool::leave`].
    pub(crate) fn enter(&mut self) -> bool {
        const FUEL: u32 = 64;
        if self.depth == 0 {
            self.fuel = FUEL;
        }
        if self.fuel == 0 {
            return false;
        }
        self.fuel -= 1;
        self.depth += 1;
        true
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The id of a node, made if new, with no simplification other than by facts.
    pub(crate) fn intern(&mut self, node: Node, width: u32) -> ExprId {
        debug_assert!(width > 0, "an expression has at least one bit");
        let hash = node.hash(width);
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            let (found, found_hash) = self.slots[slot];
            if found == 0 {
                break;
            }
            if found_hash == hash {
                let entry = &self.entries[found as usize - 1];
                if entry.node == node && entry.width == width {
                    return ExprId(found - 1);
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let facts = self.derive_facts(node, width);
        let (symbols, flags) = self.derive_dependences(node, width);
        if flags & IS_CONSTANT == 0 && width <= 64 && facts.lo == facts.hi && flags & HAS_BASE == 0
        {
            return self.constant(width, facts.lo);
        }
        let id = ExprId::new(self.entries.len());
        self.entries.push(Entry {
            node,
            width,
            symbols,
        });
        self.facts.push(facts);
        self.flags.push(flags);
        self.slots[slot] = (id.0 + 1, hash);
        if self.entries.len() * 3 > self.slots.len() * 2 {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (id, hash) in old.into_iter().filter(|&(id, _)| id != 0) {
            let mut slot = hash as usize & (size - 1);
            while self.slots[slot].0 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (id, hash);
        }
    }

    #[inline]
    fn derive_dependences(&mut self, node: Node, width: u32) -> (u32, u8) {
        let (mut symbols, mut flags) = (0, node.kind());
        match node {
            Node::Symbol(symbol, byte) => {
                symbols = self.sets.intern(SymbolSet::single(symbol, byte));
            }
            Node::Base(_) => flags |= HAS_BASE | IS_POINTER,
            Node::Read(table, _) => {
                let table = &self.tables[table.index()];
                symbols = table.symbols;
                if table.has_base {
                    flags |= HAS_BASE;
                    if width == 64 {
                        flags |= IS_POINTER;
                    }
                }
            }
            _ => {}
        }
        node.for_each_operand(|e| {
            symbols = self.sets.union(symbols, self.entries[e.index()].symbols);
            flags |= self.flags[e.index()] & HAS_BASE;
        });
        let pointer = match node {
            Node::Binary(crate::BinaryOp::Add, a, b) => {
                self.is_pointer(a) && !self.has_base(b) || self.is_pointer(b) && !self.has_base(a)
            }
            Node::Binary(crate::BinaryOp::Sub, a, b) => self.is_pointer(a) && !self.has_base(b),
            Node::Ite(_, a, b) => self.is_pointer(a) || self.is_pointer(b),
            _ => false,
        };
        (symbols, if pointer { flags | IS_POINTER } else { flags })
    }
}

impl Node {
    /// The flags that follow from the operator.
    fn kind(self) -> u8 {
        match self {
            Self::Const(_) | Self::Wide(_) => IS_CONSTANT | FOLDS,
            Self::Ite(..) | Self::Read(..) => FOLDS,
            Self::ZExt(_) | Self::Concat(..) | Self::Binary(crate::BinaryOp::Mul, ..) => MULTIPLE,
            Self::Not(_) => IS_NOT,
            _ => 0,
        }
    }
}

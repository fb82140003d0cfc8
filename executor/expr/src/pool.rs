//! The pool: the table of all expressions, hash-consed, with what is known about each.
//!
//! Equal nodes have equal ids, so comparing, hashing and memoising are operations on `u32`s.
//! Facts, dependences and the base flags of a node are derived when it is made; no traversal in
//! this crate recurses on the depth of an expression. What nobody holds is removed by [`crate::collection`].

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::assignment::Assignment;
use crate::diagram::Diagrams;
use crate::facts::{FactTable, Facts};
use crate::flags::{HAS_BASE, IS_CONSTANT, IS_POINTER, PLAIN};
use crate::fold::mask;
use crate::hash_consing::HashConsing;
use crate::ids::{ExprId, ObjectId, SymbolId};
use crate::limbs::{self, Limbs};
use crate::node::Node;
use crate::shape::Shape;
use crate::symbols::{SymbolSet, SymbolSets};
use crate::table::Tables;
use crate::value::Aggregates;

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

/// A node as stored: half a line of the cache.
#[derive(Clone, Copy)]
pub(crate) struct NodeEntry {
    pub node: Node,
    pub width: u32,
    /// The set of symbolic bytes it depends on.
    pub symbols: u32,
    /// What it is, see [`crate::flags`].
    pub flags: u32,
    /// What is known about it, unless its flags or its node tell: a position among the facts.
    pub facts: u32,
}

/// How long the pool's lists were at some time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lengths {
    pub exprs: usize,
    pub tables: usize,
    pub aggregates: usize,
}

/// What the pool knows of collections.
#[derive(Clone, Copy, Default)]
pub(crate) struct Collection {
    /// What stays for ever.
    pub permanent: Lengths,
    /// Whether gaps are left, to find ids that are not told of moves.
    pub tests: bool,
    /// Ids behind the permanent ones that the last collection has left out.
    pub gap: usize,
}

/// Constants of more than 64 bits, by position.
#[derive(Default)]
pub(crate) struct WideConstants {
    pub all: Vec<Box<[u64]>>,
    pub ids: FxHashMap<(u32, Box<[u64]>), u32>,
}

impl WideConstants {
    /// Adds a constant that is not there.
    pub fn add(&mut self, width: u32, limbs: Box<[u64]>) -> u32 {
        let at = u32::try_from(self.all.len()).expect("fewer than 2^32 constants");
        self.all.push(limbs.clone());
        self.ids.insert((width, limbs), at);
        at
    }
}

/// The symbols and their names.
#[derive(Default)]
struct Symbols {
    infos: Vec<SymbolInfo>,
    ids: FxHashMap<SymbolInfo, SymbolId>,
    /// Symbols whose bytes are constants, see [`Pool::fix`].
    fixed: Option<Assignment>,
}

/// All expressions of a run.
pub struct Pool {
    pub(crate) entries: Vec<NodeEntry>,
    pub(crate) known: FactTable,
    pub(crate) hash_consing: HashConsing,
    pub(crate) wide: WideConstants,
    symbols: Symbols,
    objects: Vec<u64>,
    pub(crate) sets: SymbolSets,
    pub(crate) tables: Tables,
    pub(crate) aggregates: Aggregates,
    pub(crate) numbers: FxHashMap<ExprId, ExprId>,
    pub(crate) shapes: FxHashMap<ExprId, Option<Arc<Shape>>>,
    /// Computed when they are asked for, also by those who only look.
    pub(crate) diagrams: RefCell<Diagrams>,
    /// Rewrites that a constructor may still make on operands of operands, see [`Pool::enter`].
    fuel: u32,
    depth: u32,
    pub(crate) collection: Collection,
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
            known: FactTable::default(),
            hash_consing: HashConsing::new(),
            wide: WideConstants::default(),
            symbols: Symbols::default(),
            objects: Vec::new(),
            sets: SymbolSets::new(),
            tables: Tables::default(),
            aggregates: Aggregates::default(),
            numbers: FxHashMap::default(),
            shapes: FxHashMap::default(),
            diagrams: RefCell::default(),
            fuel: 0,
            depth: 0,
            collection: Collection::default(),
        };
        let (zero, one) = (pool.constant(1, 0), pool.constant(1, 1));
        debug_assert!(zero == FALSE && one == TRUE);
        pool.keep_all();
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
        let entry = &self.entries[e.index()];
        if entry.flags & PLAIN != 0 {
            return Facts::top(entry.width);
        }
        match entry.node {
            Node::Const(value) => Facts::exact(value, entry.width),
            _ => self.known.get(entry.facts),
        }
    }

    /// Whether the address of an object occurs in `e`.
    #[inline]
    pub fn has_base(&self, e: ExprId) -> bool {
        self.flags(e) & HAS_BASE != 0
    }

    /// Whether `e` was recognised as an object's address plus something when it was made; a
    /// quick approximation of [`Pool::shape`].
    #[inline]
    pub(crate) fn is_pointer(&self, e: ExprId) -> bool {
        self.flags(e) & IS_POINTER != 0
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
        let at = match self.wide.ids.get(&key) {
            Some(&at) => at,
            None => self.wide.add(width, key.1),
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
            Node::Wide(at) => Some(self.wide.all[at as usize].to_vec()),
            _ => None,
        }
    }

    pub(crate) fn wide_constant(&self, at: u32) -> &[u64] {
        &self.wide.all[at as usize]
    }

    /// Whether `e` is a constant of any width.
    #[inline]
    pub fn is_constant(&self, e: ExprId) -> bool {
        self.flags(e) & IS_CONSTANT != 0
    }

    /// What kind of expression it is, so that rules that do not apply are skipped at once.
    #[inline]
    pub(crate) fn flags(&self, e: ExprId) -> u32 {
        self.entries[e.index()].flags
    }

    /// Operands of a commutative operation in canonical order: a constant last, a base first,
    /// else by age.
    #[inline]
    pub(crate) fn ordered(&self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let key = |e: ExprId| {
            let flags = self.flags(e);
            let class = (flags & IS_CONSTANT) | u32::from(flags & IS_POINTER == 0);
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
        if let Some(&id) = self.symbols.ids.get(&info) {
            return id;
        }
        let id = SymbolId::new(self.symbols.infos.len());
        self.symbols.infos.push(info.clone());
        self.symbols.ids.insert(info, id);
        id
    }

    /// The name of a symbol.
    pub fn symbol_info(&self, symbol: SymbolId) -> &SymbolInfo {
        &self.symbols.infos[symbol.index()]
    }

    /// One byte of a symbol.
    pub fn symbol_byte(&mut self, symbol: SymbolId, index: u32) -> ExprId {
        debug_assert!(index < self.symbol_info(symbol).size, "beyond the symbol");
        let fixed = self
            .symbols
            .fixed
            .as_ref()
            .and_then(|fixed| fixed.get(symbol));
        if let Some(&byte) = fixed.and_then(|bytes| bytes.get(index as usize)) {
            return self.constant(8, u64::from(byte));
        }
        self.intern(Node::Symbol(symbol, index), 8)
    }

    /// From now on the bytes of these symbols are constants ([`Pool::symbol_byte`]); expressions of
    /// them that are there already stay. Symbols that were fixed before are symbols again.
    pub fn fix(&mut self, symbols: Assignment) {
        self.symbols.fixed = Some(symbols);
    }

    /// Fixes a further symbol, if symbols are fixed.
    pub fn fix_if_fixed(&mut self, symbol: SymbolId, bytes: &[u8]) {
        if let Some(fixed) = &mut self.symbols.fixed {
            fixed.set(symbol, bytes);
        }
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

    /// Ends all rewrites. After a panic: a rewrite that was under way has not left, and the next ones
    /// would share its fuel.
    pub fn end_rewrites(&mut self) {
        self.depth = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewrite_that_has_panicked_takes_no_fuel_from_others() {
        let mut pool = Pool::new();
        assert!(pool.enter());
        pool.end_rewrites();
        for _ in 0..100 {
            assert!(pool.enter());
            pool.leave();
        }
    }
}

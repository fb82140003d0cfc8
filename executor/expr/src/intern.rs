//! Making nodes: each is looked for first, and what is known about a new one follows from its
//! operands. What depends on the operator alone is computed where the constructor is compiled.

use crate::facts::Facts;
use crate::flags::{
    HAS_BASE, HAS_SUMMAND, IS_CONCAT, IS_CONSTANT, IS_POINTER, IS_PRODUCT, IS_SUM, IS_ZEXT, PLAIN,
    PLAIN_OF_PLAIN, SCALED,
};
use crate::hash_consing::Place;
use crate::ids::ExprId;
use crate::node::{BinaryOp, Node};
use crate::pool::{NodeEntry, Pool};
use crate::symbols::SymbolSet;

/// A node that is asked for, with what follows from its operator and operands.
struct Wanted {
    node: Node,
    width: u32,
    hash: u32,
    kind: u32,
    operands: [ExprId; 3],
}

impl Pool {
    /// The id of a node, made if new, with no simplification other than by facts.
    #[inline(always)]
    pub(crate) fn intern(&mut self, node: Node, width: u32) -> ExprId {
        debug_assert!(width > 0, "an expression has at least one bit");
        let (hash, kind) = (node.hash(width), node.kind());
        match node.operands() {
            Some(operands) => self.find_or_make(&Wanted {
                node,
                width,
                hash,
                kind,
                operands,
            }),
            None => self.leaf(node, width, hash, kind),
        }
    }

    #[inline(never)]
    fn find_or_make(&mut self, wanted: &Wanted) -> ExprId {
        let [a, b, c] = wanted.operands;
        let entries = &self.entries;
        let found = self
            .hash_consing
            .find_near(wanted.hash, a.max(b).max(c), |id| {
                let entry = &entries[id as usize];
                entry.node == wanted.node && entry.width == wanted.width
            });
        match found {
            Ok(id) => id,
            Err(place) => self.make(wanted, place),
        }
    }

    #[inline(never)]
    fn leaf(&mut self, node: Node, width: u32, hash: u32, kind: u32) -> ExprId {
        let entries = &self.entries;
        let found = self.hash_consing.find_far(hash, |id| {
            let entry = &entries[id as usize];
            entry.node == node && entry.width == width
        });
        let place = match found {
            Ok(id) => return id,
            Err(place) => place,
        };
        let symbols = match node {
            Node::Symbol(symbol, byte) => self.sets.intern(SymbolSet::single(symbol, byte)),
            _ => 0,
        };
        let facts = match node {
            Node::Base(object) => {
                let facts = Facts::exact(self.object_number(object), width);
                self.known.intern(facts)
            }
            _ => 0,
        };
        let flags = match node {
            Node::Wide(_) => kind | PLAIN,
            _ => kind,
        };
        let entry = NodeEntry {
            node,
            width,
            symbols,
            flags,
            facts,
        };
        self.push(entry, place, hash)
    }

    fn push(&mut self, entry: NodeEntry, place: Place, hash: u32) -> ExprId {
        let id = ExprId::new(self.entries.len());
        self.entries.push(entry);
        self.hash_consing.insert(place, hash, id);
        id
    }

    /// A new node.
    fn make(&mut self, wanted: &Wanted, place: Place) -> ExprId {
        let &Wanted {
            node, width, kind, ..
        } = wanted;
        let [a, b, c] = wanted.operands.map(|e| self.entries[e.index()]);
        let mut flags = kind | (a.flags | b.flags | c.flags) & HAS_BASE;
        let mut symbols = self.sets.union(a.symbols, b.symbols);
        symbols = self.sets.union(symbols, c.symbols);
        if let Node::Read(table, _) = node {
            let table = &self.tables.all[table.index()];
            symbols = self.sets.union(symbols, table.symbols);
            if table.has_base {
                flags |= HAS_BASE;
            }
        }
        if flags & HAS_BASE != 0 && self.in_pointer_position(node, width) {
            flags |= IS_POINTER;
        }
        flags |= match kind & (IS_SUM | IS_PRODUCT | IS_CONCAT | IS_ZEXT) {
            IS_SUM if b.flags & IS_CONSTANT != 0 => HAS_SUMMAND,
            IS_PRODUCT if b.flags & IS_CONSTANT != 0 => SCALED,
            IS_CONCAT if matches!(b.node, Node::Const(0)) => SCALED,
            IS_ZEXT => a.flags & SCALED,
            _ => 0,
        };
        let plain = kind & PLAIN_OF_PLAIN != 0 && a.flags & b.flags & c.flags & PLAIN != 0;
        let mut facts = 0;
        if plain || width > 64 {
            flags |= PLAIN;
        } else if flags & PLAIN == 0 {
            let known = self.derive_facts(node, width);
            if known.lo == known.hi && flags & HAS_BASE == 0 {
                return self.constant(width, known.lo);
            }
            if known == Facts::top(width) {
                flags |= PLAIN;
            } else {
                facts = self.known.intern(known);
            }
        }
        let entry = NodeEntry {
            node,
            width,
            symbols,
            flags,
            facts,
        };
        self.push(entry, place, wanted.hash)
    }

    /// Whether a node in which a base occurs is an object's address plus something.
    fn in_pointer_position(&self, node: Node, width: u32) -> bool {
        match node {
            Node::Read(table, _) => self.tables.all[table.index()].has_base && width == 64,
            Node::Binary(BinaryOp::Add, a, b) => {
                self.is_pointer(a) && !self.has_base(b) || self.is_pointer(b) && !self.has_base(a)
            }
            Node::Binary(BinaryOp::Sub, a, b) => self.is_pointer(a) && !self.has_base(b),
            Node::Ite(_, a, b) => self.is_pointer(a) || self.is_pointer(b),
            _ => false,
        }
    }
}

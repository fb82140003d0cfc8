//! Constraints as a query in KQuery, the language of KLEE's `.kquery` files.
//!
//! KQuery has arrays of bytes only, with indices of 32 bits. A table of constants is written as such
//! an array, its elements byte by byte; a table that holds symbolic elements is written as a choice
//! over its positions. Nodes that occur more than once get a label (`N3:`) where they first occur, so
//! that the text is linear in the number of nodes. As KLEE writes it, neighbouring bytes of an array
//! are one `ReadLSB` or `ReadMSB`, and a constant operand stands first.

use std::collections::BTreeSet;
use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::{ExprId, SymbolId, TableId};
use crate::node::{CompareOp, Node};
use crate::pool::Pool;

impl Pool {
    /// A query for an assignment that satisfies every one of `constraints` (1 bit each).
    pub fn kquery(&mut self, constraints: &[ExprId]) -> String {
        let constraints: Vec<ExprId> = constraints.iter().map(|&c| self.number(c)).collect();
        let order = self.postorder(&constraints);
        let mut text = String::new();
        let symbols: BTreeSet<SymbolId> = constraints
            .iter()
            .flat_map(|&c| self.symbols(c).iter().map(|(symbol, _)| symbol))
            .collect();
        for &symbol in &symbols {
            let (name, size) = (self.array_name(symbol), self.symbol_info(symbol).size);
            let _ = writeln!(text, "array {name}[{size}] : w32 -> w8 = symbolic");
        }
        let mut writer = Writer::new(self, &constraints);
        let mut tables = FxHashSet::default();
        for &e in &order {
            if let Node::Read(table, _) = self.node(e)
                && self.table_is_constant(table)
                && tables.insert(table)
            {
                let number = writer.number(table);
                self.write_array(&mut text, number, table);
            }
        }
        text += "(query [";
        for (at, &constraint) in constraints.iter().enumerate() {
            if at > 0 {
                text += "\n        ";
            }
            writer.write(&mut text, constraint);
        }
        let names: Vec<String> = symbols.iter().map(|&s| self.array_name(s)).collect();
        let _ = writeln!(
            text,
            "]\n       false []\n       [{}])",
            names.join("\n        ")
        );
        text
    }

    /// One expression as KQuery writes it, its arrays not declared.
    pub fn kquery_expression(&mut self, e: ExprId) -> String {
        let e = self.number(e);
        if let Some(words) = self.as_limbs(e)
            && words.len() == 1
        {
            return words[0].to_string();
        }
        let mut text = String::new();
        Writer::new(self, &[e]).write(&mut text, e);
        text
    }

    /// A symbol's name as KQuery allows it, unique by its occurrence.
    fn array_name(&self, symbol: SymbolId) -> String {
        let info = self.symbol_info(symbol);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let mut name: String = info
            .name
            .chars()
            .map(|c| if plain(c) { c } else { '_' })
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        match info.occurrence {
            0 => name,
            n => format!("{name}_{n}"),
        }
    }

    fn write_array(&self, text: &mut String, number: usize, table: TableId) {
        let (elements, bytes) = (self.table_elements(table), self.element_bytes(table));
        let _ = write!(
            text,
            "array t{number}[{}] : w32 -> w8 = [",
            elements.len() * bytes
        );
        for (at, &element) in elements.iter().enumerate() {
            let limbs = self.as_limbs(element);
            for byte in 0..bytes {
                let value = limbs.as_ref().map_or(0, |limbs| {
                    limbs
                        .get(byte / 8)
                        .map_or(0, |limb| limb >> (8 * (byte % 8)) & 0xff)
                });
                let space = if at + byte > 0 { " " } else { "" };
                let _ = write!(text, "{space}{value}");
            }
        }
        *text += "]\n";
    }

    fn element_bytes(&self, table: TableId) -> usize {
        self.table_width(table).div_ceil(8) as usize
    }
}

/// What is left to write.
enum Item {
    Expr(ExprId),
    Text(String),
}

struct Writer<'a> {
    pool: &'a Pool,
    /// Nodes that occur more than once.
    shared: FxHashSet<ExprId>,
    labels: FxHashMap<ExprId, usize>,
    tables: FxHashMap<TableId, usize>,
}

impl<'a> Writer<'a> {
    fn new(pool: &'a Pool, roots: &[ExprId]) -> Self {
        let mut writer = Writer {
            pool,
            shared: FxHashSet::default(),
            labels: FxHashMap::default(),
            tables: FxHashMap::default(),
        };
        let mut met = FxHashSet::default();
        let mut open = roots.to_vec();
        while let Some(e) = open.pop() {
            if !met.insert(e) {
                writer.shared.insert(e);
            } else if writer.word(e).is_none() {
                writer
                    .pool
                    .node(e)
                    .for_each_operand(|operand| open.push(operand));
                if let Node::Read(table, index) = writer.pool.node(e) {
                    // The index is written for each byte or element.
                    writer.shared.insert(index);
                    open.extend(writer.symbolic_elements(table));
                }
            }
        }
        writer
    }

    /// The number in the name of a table: how many others come before it in the text.
    fn number(&mut self, table: TableId) -> usize {
        let next = self.tables.len();
        *self.tables.entry(table).or_insert(next)
    }

    fn symbolic_elements(&self, table: TableId) -> Vec<ExprId> {
        match self.pool.table_is_constant(table) {
            true => Vec::new(),
            false => self.pool.table_elements(table).to_vec(),
        }
    }

    /// Neighbouring bytes of one array, first to last in memory, and whether the last is the highest.
    fn word(&self, e: ExprId) -> Option<(SymbolId, u32, bool)> {
        let mut rest = e;
        // Highest first.
        let mut bytes = Vec::new();
        loop {
            let (byte, low) = match self.pool.node(rest) {
                Node::Concat(high, low) => (high, Some(low)),
                _ => (rest, None),
            };
            let Node::Symbol(symbol, index) = self.pool.node(byte) else {
                return None;
            };
            bytes.push((symbol, index));
            match low {
                Some(low) => rest = low,
                None => break,
            }
        }
        let (&(symbol, highest), &(_, lowest)) = (bytes.first()?, bytes.last()?);
        let little = bytes.len() > 1 && highest > lowest;
        let follows = |(one, two): (&(SymbolId, u32), &(SymbolId, u32))| {
            let (first, second) = if little { (two, one) } else { (one, two) };
            one.0 == two.0 && second.1 == first.1 + 1
        };
        let neighbours = bytes.iter().zip(bytes.iter().skip(1)).all(follows);
        neighbours.then_some((symbol, highest.min(lowest), little))
    }

    fn write(&mut self, text: &mut String, root: ExprId) {
        let mut stack = vec![Item::Expr(root)];
        while let Some(item) = stack.pop() {
            match item {
                Item::Text(part) => *text += &part,
                Item::Expr(e) => {
                    let mut parts = self.parts(text, e);
                    parts.reverse();
                    stack.extend(parts);
                }
            }
        }
    }

    /// What a node is made of; leaves are written at once.
    fn parts(&mut self, text: &mut String, e: ExprId) -> Vec<Item> {
        let (pool, width) = (self.pool, self.pool.width(e));
        match pool.node(e) {
            Node::Const(_) | Node::Wide(_) => {
                *text += &self.constant(e);
                return Vec::new();
            }
            Node::Base(object) => {
                let _ = write!(text, "(w64 {})", pool.object_number(object));
                return Vec::new();
            }
            _ => {}
        }
        if let Some(label) = self.labels.get(&e) {
            let _ = write!(text, "N{label}");
            return Vec::new();
        }
        let word = self.word(e);
        if self.shared.contains(&e) && (width > 8 || word.is_none()) {
            let _ = write!(text, "N{}:", self.labels.len());
            self.labels.insert(e, self.labels.len());
        }
        if let Some((symbol, first, little)) = word {
            let read = match (width, little) {
                (8, _) => "Read",
                (_, true) => "ReadLSB",
                (_, false) => "ReadMSB",
            };
            let name = pool.array_name(symbol);
            let _ = write!(text, "({read} w{width} {first} {name})");
            return Vec::new();
        }
        let word = |word: &str| Item::Text(word.to_string());
        let mut parts = match pool.node(e) {
            Node::Read(table, index) => return self.read(table, index, width),
            Node::Binary(op, ..) => vec![Item::Text(format!("({op:?} w{width}"))],
            Node::Compare(CompareOp::Eq, ..) => vec![word("(Eq")],
            Node::Compare(op, ..) => vec![Item::Text(format!("({op:?}"))],
            Node::Not(_) => vec![Item::Text(format!("(Not w{width}"))],
            Node::Ite(..) => vec![Item::Text(format!("(Select w{width}"))],
            Node::Extract { low, .. } => vec![Item::Text(format!("(Extract w{width} {low}"))],
            Node::Concat(..) => vec![Item::Text(format!("(Concat w{width}"))],
            Node::ZExt(_) => vec![Item::Text(format!("(ZExt w{width}"))],
            // KQuery has no floats: an operation on bit patterns that only plat knows.
            Node::Float(op, format, _) => {
                vec![Item::Text(format!("(F{op:?} {format:?} w{width}"))]
            }
            _ => vec![Item::Text(format!("(SExt w{width}"))],
        };
        let mut operands = Vec::new();
        pool.node(e)
            .for_each_operand(|operand| operands.push(operand));
        if let &[first, second] = operands.as_slice()
            && self.constant_stands_first(e)
            && pool.as_limbs(second).is_some()
        {
            operands = vec![second, first];
        }
        // Where the node or its other operand says the width, a constant does not.
        let plain = match pool.node(e) {
            Node::Binary(..) => true,
            Node::Compare(..) => operands.iter().any(|&one| pool.as_limbs(one).is_none()),
            _ => false,
        };
        for operand in operands {
            let number = pool.as_limbs(operand).filter(|limbs| limbs.len() == 1);
            match number {
                Some(limbs) if plain && pool.width(operand) > 1 => {
                    parts.push(word(&format!(" {}", limbs[0])));
                }
                _ => parts.extend([word(" "), Item::Expr(operand)]),
            }
        }
        parts.push(word(")"));
        parts
    }

    /// Whether the operands may change places.
    fn constant_stands_first(&self, e: ExprId) -> bool {
        use crate::node::BinaryOp::{Add, And, Mul, Or, Xor};
        match self.pool.node(e) {
            Node::Binary(op, ..) => matches!(op, Add | And | Mul | Or | Xor),
            Node::Compare(op, ..) => op == CompareOp::Eq,
            _ => false,
        }
    }

    /// The element of a table at an index; the last one outside of it.
    fn read(&mut self, table: TableId, index: ExprId, width: u32) -> Vec<Item> {
        let elements = self.pool.table_elements(table);
        let last = elements.len().saturating_sub(1);
        let word = |word: String| Item::Text(word);
        let mut parts = Vec::new();
        if !self.pool.table_is_constant(table) {
            for (at, &element) in elements.iter().enumerate().take(last) {
                parts.push(word(format!("(Select w{width} (Eq (w64 {at}) ")));
                parts.extend([Item::Expr(index), word(") ".into()), Item::Expr(element)]);
                parts.push(word(" ".into()));
            }
            parts.extend(elements.last().map(|&element| Item::Expr(element)));
            parts.push(word(")".repeat(last)));
            return parts;
        }
        let number = self.number(table);
        let bytes = self.pool.element_bytes(table);
        let stored = 8 * bytes as u32;
        if stored != width {
            parts.push(word(format!("(Extract w{width} 0 ")));
        }
        // The highest byte stands first.
        for byte in (0..bytes).rev() {
            if byte > 0 {
                parts.push(word(format!("(Concat w{} ", 8 * (byte + 1))));
            }
            parts.push(word(format!(
                "(Read w8 (Add w32 (w32 {byte}) (Mul w32 (w32 {bytes}) (Extract w32 0 \
                 (Select w64 (Ult "
            )));
            parts.extend([
                Item::Expr(index),
                word(format!(" (w64 {last})) ")),
                Item::Expr(index),
                word(format!(" (w64 {last}))))) t{number})")),
            ]);
            if byte > 0 {
                parts.push(word(" ".into()));
            }
        }
        parts.push(word(")".repeat(bytes - 1)));
        if stored != width {
            parts.push(word(")".into()));
        }
        parts
    }

    fn constant(&self, e: ExprId) -> String {
        let width = self.pool.width(e);
        match self.pool.node(e) {
            Node::Const(value) if width == 1 => (if value == 1 { "true" } else { "false" }).into(),
            Node::Const(value) => format!("(w{width} {value})"),
            _ => {
                let limbs = self.pool.as_limbs(e);
                let digits = limbs.iter().flat_map(|limbs| limbs.iter().rev());
                let digits: String = digits.map(|limb| format!("{limb:016x}")).collect();
                format!("(w{width} 0x{digits})")
            }
        }
    }
}

//! The symbols of a text. They are found before everything else, because functions and globals
//! refer to those behind them.

use super::lexer::Kind;
use super::{Parser, Result};
use crate::ids::{FuncId, GlobalId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// What a symbol stands for.
#[derive(Clone, Copy)]
pub enum Symbol {
    Global(GlobalId),
    Function(FuncId),
}

/// What the symbols of a text stand for.
#[derive(Default)]
pub struct Symbols<'t> {
    by_name: FxHashMap<&'t str, Symbol>,
    globals: usize,
    functions: usize,
}

impl<'t> Parser<'t> {
    /// Finds the symbols that the text defines.
    pub fn find_symbols(&mut self) -> Result<()> {
        let start = self.cursor.position();
        let mut aliases = Vec::new();
        loop {
            match (self.cursor.peek(), self.cursor.ahead(2)) {
                (Kind::End, _) => break,
                (Kind::Symbol(name), Kind::Word("alias")) => {
                    aliases.push((name.as_ref(), self.cursor.position()));
                }
                (Kind::Symbol(_) | Kind::GlobalNumber(_), _) => {
                    let id = GlobalId::new(self.symbols.globals);
                    self.symbols.globals += 1;
                    self.define(Symbol::Global(id), id.0)?;
                }
                (Kind::Word("define" | "declare"), _) => {
                    // The first symbol in the line; there is none in the type of the result.
                    while !is_symbol(self.cursor.peek()) {
                        if matches!(self.cursor.peek(), Kind::Line | Kind::End) {
                            return self.cursor.unexpected("a symbol");
                        }
                        self.cursor.bump();
                    }
                    let id = FuncId::new(self.symbols.functions);
                    self.symbols.functions += 1;
                    self.define(Symbol::Function(id), id.0)?;
                }
                _ => {}
            }
            self.cursor.skip_line();
        }
        for (name, position) in aliases {
            self.cursor.rewind(position + 3);
            let symbol = self.reference()?;
            match symbol {
                Symbol::Global(id) => {
                    let names = &mut self.program.global_names;
                    names.insert(name.to_owned(), id);
                }
                Symbol::Function(id) => {
                    let names = &mut self.program.function_names;
                    names.insert(name.to_owned(), id);
                }
            }
            self.symbols.by_name.entry(name).or_insert(symbol);
        }
        self.cursor.rewind(start);
        Ok(())
    }

    /// Enters the symbol at the cursor.
    fn define(&mut self, symbol: Symbol, number: u32) -> Result<()> {
        match (self.cursor.peek(), symbol) {
            (Kind::Symbol(name), _) => match self.symbols.by_name.entry(name.as_ref()) {
                Entry::Occupied(_) => self.cursor.fail("this symbol is defined twice"),
                Entry::Vacant(place) => {
                    place.insert(symbol);
                    Ok(())
                }
            },
            (Kind::GlobalNumber(own), Symbol::Global(_))
            | (Kind::FunctionNumber(own), Symbol::Function(_))
                if *own == number =>
            {
                Ok(())
            }
            _ => self
                .cursor
                .fail(format!("this is number {number} of its kind")),
        }
    }

    /// What a symbol or number stands for.
    pub fn reference(&mut self) -> Result<Symbol> {
        let symbols = &self.symbols;
        let found = match self.cursor.peek() {
            Kind::Symbol(name) => symbols.by_name.get(name.as_ref()).copied(),
            Kind::GlobalNumber(at) => {
                let known = (*at as usize) < symbols.globals;
                known.then_some(Symbol::Global(GlobalId(*at)))
            }
            Kind::FunctionNumber(at) => {
                let known = (*at as usize) < symbols.functions;
                known.then_some(Symbol::Function(FuncId(*at)))
            }
            _ => return self.cursor.unexpected("a symbol"),
        };
        match found {
            Some(symbol) => {
                self.cursor.bump();
                Ok(symbol)
            }
            None => self.cursor.fail("this symbol is defined nowhere"),
        }
    }

    /// The function that a symbol stands for.
    pub fn function_reference(&mut self) -> Result<FuncId> {
        let start = self.cursor.start();
        match self.reference()? {
            Symbol::Function(id) => Ok(id),
            Symbol::Global(_) => self.cursor.fail_at(start, "this symbol is no function"),
        }
    }

    /// The name at a definition: the symbol, or behind a number the text that follows `named`.
    pub fn defined_name(&mut self, symbol: &Kind<'t>) -> Result<String> {
        match symbol {
            Kind::Symbol(name) => Ok(name.clone().into_owned()),
            _ => {
                self.cursor.expect_word("named")?;
                self.cursor.string()
            }
        }
    }
}

/// Whether a token is a symbol or stands for one.
pub fn is_symbol(kind: &Kind<'_>) -> bool {
    matches!(
        kind,
        Kind::Symbol(_) | Kind::GlobalNumber(_) | Kind::FunctionNumber(_)
    )
}

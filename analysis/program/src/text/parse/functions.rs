//! Functions: heads, blocks and their parameters, registers.

use super::lexer::Kind;
use super::symbols::is_symbol;
use super::{Parser, Result};
use crate::function::{Block, Function};
use crate::ids::{BlockId, FuncId, InstId, Reg, TypeId};
use rustc_hash::FxHashMap;

/// The parameters of a block: the registers that its edges write.
type BlockParameters = Vec<(Reg, TypeId)>;

/// The function that is being parsed.
pub struct Body {
    pub function: Function,
    /// The parameters of all blocks.
    pub blocks: Vec<BlockParameters>,
    /// The registers that have been defined.
    defined: FxHashMap<u32, TypeId>,
    /// The ordinal that the next call has if none is written.
    pub next_call: u32,
    /// Where the instructions are in the text.
    places: Vec<usize>,
}

impl Body {
    pub fn new(name: String, id: FuncId, ret: TypeId) -> Self {
        let function = Function::declared(name, id, ret);
        Body {
            function,
            blocks: Vec::new(),
            defined: FxHashMap::default(),
            next_call: 0,
            places: Vec::new(),
        }
    }
}

impl Parser<'_> {
    /// `declare TYPE @name(...)`.
    pub fn declaration(&mut self) -> Result<()> {
        let start = self.cursor.start();
        self.cursor.expect_word("declare")?;
        self.body = self.head()?;
        self.finish(start);
        Ok(())
    }

    /// `define TYPE @name(...) {`, blocks, `}`.
    pub fn definition(&mut self) -> Result<()> {
        let start = self.cursor.start();
        self.cursor.expect_word("define")?;
        self.body = self.head()?;
        self.body.function.declaration = false;
        for at in 0..self.body.function.params.len() {
            let ty = self.body.function.params[at];
            self.body.defined.insert(at as u32, ty);
        }
        self.cursor.expect("{")?;
        self.cursor.line()?;
        if self.cursor.eat_word("undefined") {
            while *self.cursor.peek() != Kind::Line {
                let (reg, ty, at) = self.typed_register()?;
                self.define_register(reg, ty, at)?;
                if !self.cursor.eat(",") {
                    break;
                }
            }
            self.cursor.line()?;
        }
        self.find_blocks()?;
        while !self.cursor.eat("}") {
            if *self.cursor.peek() == Kind::End {
                return self.cursor.unexpected("`}`");
            }
            self.block()?;
        }
        self.registers()?;
        self.finish(start);
        Ok(())
    }

    fn finish(&mut self, start: usize) {
        let empty = Body::new(String::new(), FuncId(0), TypeId(0));
        let mut body = std::mem::replace(&mut self.body, empty);
        body.function.first_inst = InstId(self.program.inst_count() as u32);
        let names = &mut self.program.function_names;
        names.insert(body.function.name.clone(), body.function.id);
        self.places.push((start, body.places));
        self.program.functions.push(body.function);
    }

    /// From the type of the result to the location.
    fn head(&mut self) -> Result<Body> {
        let ret = self.ty()?;
        if !is_symbol(self.cursor.peek()) {
            return self.cursor.unexpected("a symbol");
        }
        let symbol = self.cursor.bump();
        let id = FuncId::new(self.program.functions.len());
        let mut body = Body::new(String::new(), id, ret);
        let function = &mut body.function;
        self.cursor.expect("(")?;
        let mut first = true;
        while self.cursor.is_next(&mut first, ")")? {
            if self.cursor.eat("...") {
                function.variadic = true;
                self.cursor.expect(")")?;
                break;
            }
            self.parameter(function)?;
        }
        function.name = self.defined_name(symbol)?;
        if self.cursor.eat_word("prologue") {
            function.prologue = Some([self.cursor.number()?, self.cursor.number()?]);
        }
        function.location = self.location()?;
        Ok(body)
    }

    /// `TYPE %0 byval 16 align 8 "name"`; the register may be left out.
    fn parameter(&mut self, function: &mut Function) -> Result<()> {
        let at = function.params.len();
        // A function with a parameter of a type that `Program` lacks has `void` there.
        function.params.push(self.ty()?);
        if let Kind::Register(register) = self.cursor.peek() {
            if *register as usize != at {
                return self.cursor.fail(format!("this is parameter %{at}"));
            }
            self.cursor.bump();
        }
        let byval = self.byval()?;
        function.byval.push(byval);
        let name = match self.cursor.peek() {
            Kind::Text(_) => self.cursor.string()?,
            _ => String::new(),
        };
        function.param_names.push(name);
        Ok(())
    }

    /// `byval 16 align 8`: size and alignment of a copy, where one is made.
    pub fn byval(&mut self) -> Result<Option<(u64, u64)>> {
        if !self.cursor.eat_word("byval") {
            return Ok(None);
        }
        let size = self.cursor.number()?;
        self.cursor.expect_word("align")?;
        Ok(Some((size, self.cursor.number()?)))
    }

    /// `TYPE %5`, and where it is.
    fn typed_register(&mut self) -> Result<(Reg, TypeId, usize)> {
        let ty = self.ty()?;
        let start = self.cursor.start();
        Ok((Reg(self.cursor.register()?), ty, start))
    }

    /// Enters the definition of a register at byte `start` of the text.
    pub fn define_register(&mut self, reg: Reg, ty: TypeId, start: usize) -> Result<()> {
        match self.body.defined.insert(reg.0, ty) {
            None => Ok(()),
            Some(_) => {
                let what = format!("%{} is defined twice", reg.0);
                self.cursor.fail_at(start, what)
            }
        }
    }

    /// Reads the heads of all blocks, because edges lead to blocks behind them.
    fn find_blocks(&mut self) -> Result<()> {
        let position = self.cursor.position();
        while !matches!(self.cursor.peek(), Kind::End | Kind::Mark("}")) {
            if let Kind::Mark("(" | ":") = self.cursor.ahead(1)
                && let Kind::Word(_) = self.cursor.peek()
            {
                let start = self.cursor.start();
                let next = self.body.blocks.len();
                if self.block_id()?.index() != next {
                    let what = format!("this is block b{next}");
                    return self.cursor.fail_at(start, what);
                }
                let mut parameters = Vec::new();
                if self.cursor.eat("(") {
                    let mut first = true;
                    while self.cursor.is_next(&mut first, ")")? {
                        let (reg, ty, start) = self.typed_register()?;
                        self.define_register(reg, ty, start)?;
                        parameters.push((reg, ty));
                    }
                }
                self.cursor.expect(":")?;
                self.body.blocks.push(parameters);
            }
            self.cursor.skip_line();
        }
        self.cursor.rewind(position);
        Ok(())
    }

    /// `b3`.
    pub fn block_id(&mut self) -> Result<BlockId> {
        if let Kind::Word(word) = self.cursor.peek()
            && let Some(number) = word.strip_prefix('b')
            && let Ok(number) = number.parse()
        {
            self.cursor.bump();
            return Ok(BlockId(number));
        }
        self.cursor.unexpected("a block")
    }

    /// The head of a block and its instructions.
    fn block(&mut self) -> Result<()> {
        // The head has been read.
        if !matches!(self.cursor.ahead(1), Kind::Mark("(" | ":")) {
            return self.cursor.unexpected("a block");
        }
        self.cursor.skip_line();
        let first = self.body.function.insts.len();
        loop {
            let is_head = matches!(self.cursor.ahead(1), Kind::Mark("(" | ":"))
                && matches!(self.cursor.peek(), Kind::Word(_));
            if is_head || matches!(self.cursor.peek(), Kind::Mark("}") | Kind::End) {
                break;
            }
            self.body.places.push(self.cursor.start());
            self.instruction()?;
            self.cursor.line()?;
        }
        let len = (self.body.function.insts.len() - first) as u32;
        let first = first as u32;
        self.body.function.blocks.push(Block { first, len });
        Ok(())
    }

    /// Makes the table of registers: all are numbered without gaps, all that are used are defined.
    fn registers(&mut self) -> Result<()> {
        let uses = std::mem::take(&mut self.uses);
        let body = &mut self.body;
        for (register, start) in uses {
            if !body.defined.contains_key(&register) {
                let what = format!("%{register} is defined nowhere");
                return self.cursor.fail_at(start, what);
            }
        }
        for at in 0..body.defined.len() as u32 {
            let Some(&ty) = body.defined.get(&at) else {
                let what = format!("there is no register %{at}, but one with a larger number");
                return self.cursor.fail(what);
            };
            body.function.reg_types.push(ty);
        }
        Ok(())
    }
}

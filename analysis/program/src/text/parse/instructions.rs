//! Instructions.

use super::lexer::Kind;
use super::symbols::is_symbol;
use super::{Parser, Result};
use crate::ids::{InstId, Reg, SiteId, TypeId};
use crate::inst::{
    Access, BinaryOp, Call, Callee, CastOp, FloatOp, FloatPredicate, Inst, IntPredicate, Operand,
    RmwOp, Span,
};
use crate::text::words::Worded as _;
use crate::types::Type;

impl Parser<'_> {
    /// Whether an instruction ends at the cursor, but for its marks and location.
    pub fn is_end_of_instruction(&self) -> bool {
        matches!(
            self.cursor.peek(),
            Kind::Line | Kind::End | Kind::Mark("!") | Kind::Word("at")
        )
    }

    /// A line of a block: `%5: TYPE = INSTRUCTION !call 3 !site 4 at f0:3:5`.
    pub fn instruction(&mut self) -> Result<()> {
        let start = self.cursor.start();
        let (mut dst, mut ty) = (None, None);
        if let Kind::Register(register) = self.cursor.peek() {
            self.cursor.bump();
            dst = Some(Reg(*register));
            if self.cursor.eat(":") {
                ty = Some(self.ty()?);
            }
            self.cursor.expect("=")?;
        }
        let at = self.cursor.start();
        let inst = self.operation_of(dst)?;
        if inst.dst() != dst {
            let what = match dst {
                Some(_) => "this instruction has no result",
                None => "the register of the result is missing",
            };
            return self.cursor.fail_at(at, what);
        }
        if let Some(dst) = dst {
            let ty = match ty {
                Some(ty) => ty,
                None => self.result_type(&inst, at)?,
            };
            self.define_register(dst, ty, start)?;
        }
        let ordinal = self.marks(&inst)?;
        let location = self.location()?;
        let function = &mut self.body.function;
        function.insts.push(inst);
        function.call_ordinals.push(ordinal);
        function.locs.push(location);
        Ok(())
    }

    fn result_type(&mut self, inst: &Inst, at: usize) -> Result<TypeId> {
        let indices = &self.body.function.indices;
        match self.program.types.result(inst, indices) {
            Some(ty) => Ok(self.program.types.intern(ty)),
            None => {
                let what = "the type of the result is not known; write `%5: TYPE = ...`";
                self.cursor.fail_at(at, what)
            }
        }
    }

    /// `!call 3` and `!site 4`. Returns the ordinal of the call.
    fn marks(&mut self, inst: &Inst) -> Result<u32> {
        let is_call = matches!(inst, Inst::Call { .. } | Inst::Invoke { .. });
        let mut ordinal = if is_call {
            self.body.next_call
        } else {
            u32::MAX
        };
        while self.cursor.eat("!") {
            if self.cursor.eat_word("call") {
                ordinal = match self.cursor.eat_word("none") {
                    true => u32::MAX,
                    false => self.cursor.number()?,
                };
            } else {
                self.cursor.expect_word("site")?;
                let site = SiteId(self.cursor.number()?);
                let before = self.program.inst_count() + self.body.function.insts.len();
                let sites = &mut self.program.annotations.sites;
                sites.insert(InstId::new(before), site);
            }
        }
        if ordinal != u32::MAX {
            self.body.next_call = ordinal.wrapping_add(1);
        }
        Ok(ordinal)
    }

    /// What stands behind the `=`. A call may have a result or none.
    fn operation_of(&mut self, dst: Option<Reg>) -> Result<Inst> {
        // Where there is none, the caller reports it.
        let reg = dst.unwrap_or(Reg(u32::MAX));
        let word = self.cursor.word()?;
        if let Some(inst) = self.terminator(word)? {
            return Ok(inst);
        }
        if let Some(inst) = self.scalar(word, reg)? {
            return Ok(inst);
        }
        if let Some(inst) = self.memory(word, reg)? {
            return Ok(inst);
        }
        if let Some(inst) = self.of_aggregate(word, reg)? {
            return Ok(inst);
        }
        match word {
            "call" => Ok(Inst::Call {
                dst,
                call: self.call()?,
            }),
            "invoke" => {
                let call = self.call()?;
                self.cursor.expect_word("to")?;
                let normal = self.edge()?;
                self.cursor.expect(",")?;
                self.cursor.expect_word("unwind")?;
                Ok(Inst::Invoke {
                    dst,
                    call,
                    normal,
                    unwind: self.edge()?,
                })
            }
            "landingpad" => self.landing_pad(reg),
            "unsupported" => {
                let what = self.cursor.string()?;
                let what = self.text(what);
                Ok(Inst::Unsupported { dst, what })
            }
            _ => {
                self.cursor.back();
                self.cursor.unexpected("an instruction")
            }
        }
    }

    fn text(&mut self, text: String) -> u32 {
        let table = &mut self.body.function.asm_texts;
        table.push(text);
        (table.len() - 1) as u32
    }

    /// `TYPE A, B`.
    fn pair(&mut self) -> Result<(TypeId, Operand, Operand)> {
        let ty = self.value_type()?;
        let lhs = self.operand(Some(ty))?;
        self.cursor.expect(",")?;
        Ok((ty, lhs, self.operand(Some(ty))?))
    }

    fn scalar(&mut self, word: &str, dst: Reg) -> Result<Option<Inst>> {
        if let Some(op) = BinaryOp::from_word(word) {
            let (ty, lhs, rhs) = self.pair()?;
            return Ok(Some(Inst::Binary {
                op,
                ty,
                dst,
                lhs,
                rhs,
            }));
        }
        if let Some(op) = FloatOp::from_word(word) {
            let ty = self.value_type()?;
            let lhs = self.operand(Some(ty))?;
            let rhs = match op == FloatOp::Neg && *self.cursor.peek() != Kind::Mark(",") {
                true => lhs,
                false => {
                    self.cursor.expect(",")?;
                    self.operand(Some(ty))?
                }
            };
            return Ok(Some(Inst::Float {
                op,
                ty,
                dst,
                lhs,
                rhs,
            }));
        }
        if let Some(op) = CastOp::from_word(word) {
            let from = self.value_type()?;
            let value = self.operand(Some(from))?;
            self.cursor.expect_word("to")?;
            return Ok(Some(Inst::Cast {
                op,
                from,
                to: self.value_type()?,
                dst,
                value,
            }));
        }
        Ok(Some(match word {
            "icmp" => {
                let predicate = self.worded("a comparison of integers", IntPredicate::from_word)?;
                let (ty, lhs, rhs) = self.pair()?;
                Inst::Compare {
                    predicate,
                    ty,
                    dst,
                    lhs,
                    rhs,
                }
            }
            "fcmp" => {
                let signals = self.cursor.eat_word("signals");
                let predicate = self.worded("a comparison of floats", FloatPredicate::from_word)?;
                let (ty, lhs, rhs) = self.pair()?;
                Inst::FloatCompare {
                    predicate,
                    signals,
                    ty,
                    dst,
                    lhs,
                    rhs,
                }
            }
            "select" => {
                let cond = self.operand(None)?;
                self.cursor.expect(",")?;
                let (ty, then, otherwise) = self.pair()?;
                Inst::Select {
                    ty,
                    dst,
                    cond,
                    then,
                    otherwise,
                }
            }
            "freeze" => {
                let ty = self.value_type()?;
                let value = self.operand(Some(ty))?;
                Inst::Freeze { ty, dst, value }
            }
            _ => return Ok(None),
        }))
    }

    /// A word that stands for something.
    fn worded<T>(&mut self, expected: &str, from: impl Fn(&str) -> Option<T>) -> Result<T> {
        if let Kind::Word(word) = self.cursor.peek()
            && let Some(found) = from(word)
        {
            self.cursor.bump();
            return Ok(found);
        }
        self.cursor.unexpected(expected)
    }

    fn memory(&mut self, word: &str, dst: Reg) -> Result<Option<Inst>> {
        Ok(Some(match word {
            "alloca" => {
                let element_size = self.cursor.number()?;
                self.cursor.expect_word("bytes")?;
                self.cursor.expect("*")?;
                let count_ty = self.value_type()?;
                let count = self.operand(Some(count_ty))?;
                Inst::Alloca {
                    dst,
                    element_size,
                    count,
                    count_ty,
                    align: self.align()?,
                }
            }
            "load" => {
                let mut access = self.access_marks();
                let ty = self.value_type()?;
                let pointer = self.operand(None)?;
                access.align = self.align()?;
                Inst::Load {
                    ty,
                    dst,
                    pointer,
                    access,
                }
            }
            "store" => {
                let mut access = self.access_marks();
                let ty = self.value_type()?;
                let value = self.operand(Some(ty))?;
                self.cursor.expect_word("to")?;
                let pointer = self.operand(None)?;
                access.align = self.align()?;
                Inst::Store {
                    ty,
                    value,
                    pointer,
                    access,
                }
            }
            "address" => self.gep(dst)?,
            "atomic" => {
                let op = self.worded("an atomic operation", RmwOp::from_word)?;
                let pointer = self.operand(None)?;
                self.cursor.expect(",")?;
                let ty = self.value_type()?;
                let value = self.operand(Some(ty))?;
                Inst::AtomicRmw {
                    op,
                    ty,
                    dst,
                    pointer,
                    value,
                }
            }
            "cmpxchg" => {
                let pointer = self.operand(None)?;
                self.cursor.expect(",")?;
                let (ty, expected, new) = self.pair()?;
                Inst::CompareExchange {
                    ty,
                    dst,
                    pointer,
                    expected,
                    new,
                }
            }
            "fence" => Inst::Fence,
            _ => return Ok(None),
        }))
    }

    /// `, align 8`.
    fn align(&mut self) -> Result<u32> {
        self.cursor.expect(",")?;
        self.cursor.expect_word("align")?;
        self.cursor.number()
    }

    fn access_marks(&mut self) -> Access {
        Access {
            align: 1,
            volatile: self.cursor.eat_word("volatile"),
            atomic: self.cursor.eat_word("atomic"),
        }
    }

    /// `BASE, +8, 4 * i64 %5`.
    fn gep(&mut self, dst: Reg) -> Result<Inst> {
        let base = self.operand(None)?;
        let (mut offset, mut terms) = (0, Vec::new());
        while self.cursor.eat(",") {
            let start = self.cursor.start();
            let number: i64 = self.cursor.number()?;
            if self.cursor.eat("*") {
                let width = self.width()?;
                terms.push((self.operand(None)?, width, number));
            } else if offset == 0 && terms.is_empty() {
                offset = number;
            } else {
                return self
                    .cursor
                    .fail_at(start, "one offset stands before all terms");
            }
        }
        let table = &mut self.body.function.gep_terms;
        let span = Span {
            start: table.len() as u32,
            len: terms.len() as u32,
        };
        table.extend(terms);
        Ok(Inst::Gep {
            dst,
            base,
            offset,
            terms: span,
        })
    }

    fn of_aggregate(&mut self, word: &str, dst: Reg) -> Result<Option<Inst>> {
        Ok(Some(match word {
            "extractvalue" => {
                let ty = self.value_type()?;
                let aggregate = self.operand(Some(ty))?;
                self.cursor.expect(",")?;
                Inst::ExtractValue {
                    ty,
                    dst,
                    aggregate,
                    path: self.path(ty)?,
                }
            }
            "insertvalue" => {
                let ty = self.value_type()?;
                let aggregate = self.operand(Some(ty))?;
                self.cursor.expect(",")?;
                let element = self.operand(None)?;
                self.cursor.expect(",")?;
                Inst::InsertValue {
                    ty,
                    dst,
                    aggregate,
                    element,
                    path: self.path(ty)?,
                }
            }
            "extractelement" => {
                let ty = self.vector_type()?;
                let vector = self.operand(Some(ty))?;
                self.cursor.expect(",")?;
                Inst::ExtractElement {
                    ty,
                    dst,
                    vector,
                    index: self.operand(None)?,
                }
            }
            "insertelement" => {
                let ty = self.vector_type()?;
                let vector = self.operand(Some(ty))?;
                self.cursor.expect(",")?;
                let element = self.operand(None)?;
                self.cursor.expect(",")?;
                Inst::InsertElement {
                    ty,
                    dst,
                    vector,
                    element,
                    index: self.operand(None)?,
                }
            }
            "shuffle" => {
                let ty = self.vector_type()?;
                let lhs = self.operand(Some(ty))?;
                self.cursor.expect(",")?;
                let rhs = self.operand(Some(ty))?;
                self.cursor.expect(",")?;
                Inst::Shuffle {
                    ty,
                    dst,
                    lhs,
                    rhs,
                    mask: self.mask(ty)?,
                }
            }
            _ => return Ok(None),
        }))
    }

    fn vector_type(&mut self) -> Result<TypeId> {
        let start = self.cursor.start();
        let ty = self.value_type()?;
        match self.program.types.get(ty) {
            Type::Vector(..) => Ok(ty),
            _ => self.cursor.fail_at(start, "this is no type of vectors"),
        }
    }

    /// `[1, 0]`: the way to an element of an aggregate of type `ty`.
    fn path(&mut self, mut ty: TypeId) -> Result<Span> {
        self.cursor.expect("[")?;
        let (mut path, mut first) = (Vec::new(), true);
        while self.cursor.is_next(&mut first, "]")? {
            let start = self.cursor.start();
            let at: u32 = self.cursor.number()?;
            let Some(element) = self.program.types.element(ty, u64::from(at)) else {
                return self.cursor.fail_at(start, "the type has no such element");
            };
            ty = element;
            path.push(at);
        }
        Ok(self.indices(path))
    }

    /// `[0, -1, 5]`: positions in two vectors of type `ty`; -1 is poison.
    fn mask(&mut self, ty: TypeId) -> Result<Span> {
        let count = match self.program.types.get(ty) {
            Type::Vector(_, count) => 2 * i64::from(*count),
            _ => 0,
        };
        self.cursor.expect("[")?;
        let (mut mask, mut first) = (Vec::new(), true);
        while self.cursor.is_next(&mut first, "]")? {
            let start = self.cursor.start();
            let at: i64 = self.cursor.number()?;
            if !(-1..count).contains(&at) {
                return self
                    .cursor
                    .fail_at(start, "the vectors have no such element");
            }
            mask.push(if at == -1 { u32::MAX } else { at as u32 });
        }
        Ok(self.indices(mask))
    }

    fn indices(&mut self, indices: Vec<u32>) -> Span {
        let table = &mut self.body.function.indices;
        let span = Span {
            start: table.len() as u32,
            len: indices.len() as u32,
        };
        table.extend(indices);
        span
    }

    /// `TYPE @f(i32 1, %2)`, `TYPE *%5(...)` or `TYPE asm "..."(...)`.
    fn call(&mut self) -> Result<Call> {
        let ret = self.ty()?;
        let callee = if self.cursor.eat("*") {
            Callee::Indirect(self.operand(None)?)
        } else if self.cursor.eat_word("asm") {
            let text = self.cursor.string()?;
            Callee::Asm(self.text(text))
        } else if is_symbol(self.cursor.peek()) {
            Callee::Direct(self.function_reference()?)
        } else {
            return self.cursor.unexpected("what is called");
        };
        self.cursor.expect("(")?;
        let (mut args, mut first) = (Vec::new(), true);
        let start = self.body.function.call_args.len() as u32;
        while self.cursor.is_next(&mut first, ")")? {
            if let Some((size, align)) = self.byval()? {
                let at = start + args.len() as u32;
                self.body.function.byval_args.push((at, size, align));
            }
            args.push(self.operand(None)?);
        }
        let args = self.arguments(args);
        Ok(Call { callee, args, ret })
    }

    fn arguments(&mut self, args: Vec<Operand>) -> Span {
        let table = &mut self.body.function.call_args;
        let span = Span {
            start: table.len() as u32,
            len: args.len() as u32,
        };
        table.extend(args);
        span
    }

    /// `TYPE cleanup catch A catch B`.
    fn landing_pad(&mut self, dst: Reg) -> Result<Inst> {
        let ty = self.value_type()?;
        let cleanup = self.cursor.eat_word("cleanup");
        let mut clauses = Vec::new();
        while self.cursor.eat_word("catch") {
            clauses.push(self.operand(None)?);
        }
        Ok(Inst::LandingPad {
            ty,
            dst,
            cleanup,
            clauses: self.arguments(clauses),
        })
    }
}

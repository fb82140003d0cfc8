//! What ends a block, and the edges that leave it.

use super::{Parser, Result};
use crate::function::{Edge, Move};
use crate::ids::{BlockId, EdgeId};
use crate::inst::{Inst, Span};
use crate::types::Type;

impl Parser<'_> {
    /// `b3(%4, 5)`: a block, and what the edge writes to its parameters.
    pub fn edge(&mut self) -> Result<EdgeId> {
        let start = self.cursor.start();
        let to = self.block_id()?;
        let Some(parameters) = self.body.blocks.get(to.index()).cloned() else {
            return self.cursor.fail_at(start, "there is no such block");
        };
        let mut moves = Vec::new();
        if self.cursor.eat("(") {
            let mut first = true;
            while self.cursor.is_next(&mut first, ")")? {
                let Some(&(dst, ty)) = parameters.get(moves.len()) else {
                    return self.cursor.fail("the block has fewer parameters");
                };
                let src = self.operand(Some(ty))?;
                moves.push(Move { dst, src });
            }
        }
        if moves.len() != parameters.len() {
            return self.cursor.fail_at(start, "the block has more parameters");
        }
        let function = &mut self.body.function;
        let span = Span {
            start: function.moves.len() as u32,
            len: moves.len() as u32,
        };
        function.moves.extend(moves);
        let id = EdgeId::new(function.edges.len());
        function.edges.push(Edge {
            from: BlockId::new(function.blocks.len()),
            to,
            moves: span,
        });
        Ok(id)
    }

    /// A terminator; `None` if the word is that of another instruction.
    pub fn terminator(&mut self, word: &str) -> Result<Option<Inst>> {
        Ok(Some(match word {
            "jump" => Inst::Jump { edge: self.edge()? },
            "branch" => {
                let cond = self.operand(None)?;
                self.cursor.expect(",")?;
                let then = self.edge()?;
                self.cursor.expect(",")?;
                Inst::Branch {
                    cond,
                    then,
                    otherwise: self.edge()?,
                }
            }
            "switch" => self.switch()?,
            "return" => {
                let ret = self.body.function.ret;
                let ends = self.is_end_of_instruction();
                let value = match ends {
                    true => None,
                    false => Some(self.operand(Some(ret))?),
                };
                Inst::Return { value }
            }
            "resume" => Inst::Resume {
                value: self.operand(None)?,
            },
            "unreachable" => Inst::Unreachable,
            _ => return Ok(None),
        }))
    }

    fn switch(&mut self) -> Result<Inst> {
        let start = self.cursor.start();
        let ty = self.value_type()?;
        let Type::Int(width @ ..=128) = *self.program.types.get(ty) else {
            let what = "a switch is on an integer of at most 128 bits";
            return self.cursor.fail_at(start, what);
        };
        let value = self.operand(Some(ty))?;
        let mut cases = Vec::new();
        loop {
            self.cursor.expect(",")?;
            if self.cursor.eat_word("default") {
                break;
            }
            let start = self.cursor.start();
            let case: u128 = self.cursor.number()?;
            if width < 128 && case >> width != 0 {
                return self.cursor.fail_at(start, "a case outside of the type");
            }
            self.cursor.expect("=>")?;
            cases.push((case, self.edge()?));
        }
        self.cursor.expect("=>")?;
        let default = self.edge()?;
        let table = &mut self.body.function.switch_cases;
        let span = Span {
            start: table.len() as u32,
            len: cases.len() as u32,
        };
        table.extend(cases);
        Ok(Inst::Switch {
            ty,
            value,
            cases: span,
            default,
        })
    }
}

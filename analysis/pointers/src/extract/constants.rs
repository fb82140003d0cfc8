//! Constants and globals: which objects an operand that is a constant points to.

use super::{Extractor, InstanceId};
use crate::constraints::{Constraint, Extent, Location, Node, Object, Offset};
use crate::report::objects::AbstractObject;
use plat_program::{BinaryOp, CastOp, ConstId, Constant, GlobalId, Operand};

impl Extractor<'_> {
    /// The node of an operand; `None` if it is a constant that points to nothing.
    pub(super) fn operand(&mut self, instance: InstanceId, operand: Operand) -> Option<Node> {
        match operand.as_reg() {
            Some(reg) => Some(self.out.instances[instance.index()].node(reg)),
            None => operand.as_constant().and_then(|id| self.constant(id)),
        }
    }

    pub(super) fn constant(&mut self, id: ConstId) -> Option<Node> {
        if let Some(&known) = self.out.constants.get(&id) {
            return known;
        }
        let mut targets = Vec::new();
        self.targets(id, Offset::ZERO, None, &mut targets);
        let node = (!targets.is_empty()).then(|| self.out.system.node());
        if let Some(node) = node {
            for at in targets {
                self.push(Constraint::Address { node, at });
            }
        }
        self.out.constants.insert(id, node);
        node
    }

    /// Collects what a constant, moved by `by`, points to. `integer` is what the last conversion
    /// made of it.
    fn targets(
        &mut self,
        id: ConstId,
        by: Offset,
        integer: Option<bool>,
        targets: &mut Vec<Location>,
    ) {
        let program = self.program;
        let location = |object, offset| Location {
            integer: integer.unwrap_or(false),
            ..Location::new(object, offset)
        };
        match program.constant(id) {
            Constant::Global(global, offset) => {
                let object = self.global(*global);
                targets.push(location(object, by.plus(Offset::exact(*offset))));
            }
            Constant::Function(function) => {
                let object = self.function_object(*function);
                targets.push(location(object, by));
            }
            Constant::Aggregate(_, elements) => {
                for &element in elements {
                    self.targets(element, by, integer, targets);
                }
            }
            Constant::Binary(op, _, lhs, rhs) => {
                let step = |constant: &Constant| match constant {
                    Constant::Int { value, .. } => Some(*value as u64 as i64),
                    _ => None,
                };
                match (
                    op,
                    step(program.constant(*lhs)),
                    step(program.constant(*rhs)),
                ) {
                    (BinaryOp::Add, None, Some(k)) => {
                        self.targets(*lhs, by.plus(Offset::exact(k)), integer, targets);
                    }
                    (BinaryOp::Add, Some(k), None) => {
                        self.targets(*rhs, by.plus(Offset::exact(k)), integer, targets);
                    }
                    (BinaryOp::Sub, None, Some(k)) => {
                        self.targets(*lhs, by.minus(Offset::exact(k)), integer, targets);
                    }
                    _ => {
                        self.targets(*lhs, Offset::ANY, integer, targets);
                        self.targets(*rhs, Offset::ANY, integer, targets);
                    }
                }
            }
            Constant::Cast(op, _, _, value) => {
                let made = match op {
                    CastOp::PtrToInt => Some(true),
                    CastOp::IntToPtr => Some(false),
                    _ => None,
                };
                self.targets(*value, by, integer.or(made), targets);
            }
            _ => {}
        }
    }

    /// The object of a global; its initialiser follows at the first reference.
    pub(super) fn global(&mut self, id: GlobalId) -> Object {
        if let Some(&object) = self.globals.get(&id) {
            return object;
        }
        let program = self.program;
        let global = program.global(id);
        let what = AbstractObject::Global {
            name: global.name.clone(),
        };
        let mut extent = Extent::memory(Some(global.size));
        let relocations = global
            .initializer
            .as_ref()
            .map(|init| init.relocations.as_slice());
        extent.writable = !global.constant;
        extent.holds = !global.constant || relocations.is_none_or(|all| !all.is_empty());
        if relocations.is_none() {
            extent.size = None;
        }
        let object = self.object(what, extent);
        self.globals.insert(id, object);
        match relocations {
            Some(relocations) => {
                for relocation in relocations {
                    if let Some(node) = self.constant(relocation.value) {
                        let at = Offset::exact(relocation.offset.cast_signed());
                        self.hold(object, at, relocation.size, node);
                    }
                }
            }
            None => {
                // Defined by code that is not here: it belongs to the unknown.
                self.out.unknown.insert(global.name.clone());
                let world = self.world();
                self.address(world, object, Offset::ANY);
                self.hold(object, Offset::ANY, 8, world);
            }
        }
        object
    }
}

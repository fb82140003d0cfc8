//! Constants and globals: which objects an operand that is a constant points to.

use super::{Extractor, InstanceId};
use crate::constraints::{Extent, Node, Object};
use crate::objects::AbstractObject;
use crate::offset::Offset;
use plat_program::{BinaryOp, ConstId, Constant, GlobalId, Operand};

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
        self.targets(id, Offset::ZERO, &mut targets);
        let node = (!targets.is_empty()).then(|| self.out.system.node());
        if let Some(node) = node {
            for (object, offset) in targets {
                self.address(node, object, offset);
            }
        }
        self.out.constants.insert(id, node);
        node
    }

    /// Collects what a constant, moved by `by`, points to.
    fn targets(&mut self, id: ConstId, by: Offset, targets: &mut Vec<(Object, Offset)>) {
        let program = self.program;
        match program.constant(id) {
            Constant::Global(global, offset) => {
                let object = self.global(*global);
                targets.push((object, by.plus(Offset::exact(*offset))));
            }
            Constant::Function(function) => {
                let object = self.function_object(*function);
                targets.push((object, by));
            }
            Constant::Aggregate(_, elements) => {
                for &element in elements {
                    self.targets(element, by, targets);
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
                        self.targets(*lhs, by.plus(Offset::exact(k)), targets);
                    }
                    (BinaryOp::Add, Some(k), None) => {
                        self.targets(*rhs, by.plus(Offset::exact(k)), targets);
                    }
                    (BinaryOp::Sub, None, Some(k)) => {
                        self.targets(*lhs, by.minus(Offset::exact(k)), targets);
                    }
                    _ => {
                        self.targets(*lhs, Offset::ANY, targets);
                        self.targets(*rhs, Offset::ANY, targets);
                    }
                }
            }
            Constant::Cast(_, _, _, value) => self.targets(*value, by, targets),
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

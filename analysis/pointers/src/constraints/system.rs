//! A constraint system: nodes, objects, constraints, and what calls through pointers need.

use super::constraint::Constraint;
use super::ids::{Callable, Node, Object};
use super::location::{Displacement, Location, Passage};
use super::offset::{Offset, touched};
use crate::program::interfaces::{Interface, Kinds};
use std::fmt;

/// What an abstract object can hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// Its size in bytes if known.
    pub size: Option<u64>,
    /// Whether pointers can be stored to it.
    pub writable: bool,
    /// Whether it can hold pointers at all.
    pub holds: bool,
    /// What a call through a pointer to it calls.
    pub callable: Option<Callable>,
}

impl Extent {
    /// A writable object.
    pub const fn memory(size: Option<u64>) -> Self {
        Self {
            size,
            writable: true,
            holds: true,
            callable: None,
        }
    }

    /// A function.
    pub const fn code(callable: Callable) -> Self {
        Self {
            size: Some(0),
            writable: false,
            holds: false,
            callable: Some(callable),
        }
    }
}

/// A parameter of a callable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The register that receives the argument.
    pub node: Node,
    /// For a parameter passed by value in memory: the copy, and its size. The argument is then
    /// the address of the original, and `node` points to the copy.
    pub copy: Option<(Object, u64)>,
}

/// What an allocation function does with the fresh object of an indirect call to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fresh {
    /// It is no allocation function.
    No,
    /// It is returned.
    Returned,
    /// It is returned and receives what the block of the first argument holds.
    Reallocated,
    /// Its address is stored where the first argument points.
    Stored,
}

/// The interface of a function that can be called through a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// Its result.
    pub result: Node,
    /// The object that holds the further arguments of a variadic function.
    pub rest: Option<Object>,
    /// Whether it allocates.
    pub fresh: Fresh,
    /// How many arguments it reads.
    pub needs: u32,
    /// Whether it returns anything that can be a pointer.
    pub returns: bool,
    /// What the parameters that it reads are.
    pub kinds: Kinds,
}

/// A call through a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function pointer.
    pub callee: Node,
    /// The arguments; `None` where no pointer can be passed.
    pub arguments: Vec<Option<Node>>,
    /// For arguments passed by value in memory: the size of the block that they point to.
    pub by_value: Vec<(u32, u64)>,
    /// The result, if it is used and can be a pointer.
    pub result: Option<Node>,
    /// The object that this call allocates if an allocation function is called.
    pub fresh: Option<Object>,
    /// Whether a pointer is expected as result.
    pub expects: bool,
    /// What the arguments are. A constant zero is nothing in particular.
    pub kinds: Kinds,
    /// For callables that have an instance for this call: what is called instead.
    pub own: Vec<(Callable, Callable)>,
}

impl Call {
    /// Whether a function can be what is meant ([`Interface::fits`]).
    pub fn fits(&self, signature: &Signature) -> bool {
        let interface = Interface {
            needs: signature.needs,
            returns: signature.returns,
            kinds: signature.kinds,
        };
        interface.fits(self.arguments.len(), self.kinds, self.expects)
    }
}

/// A constant step to more than this many bytes past the end of an object is an error of the
/// program, or of the analysis about the object that is meant: it leads nowhere. (Before the start
/// it is kept: tables are addressed from a constant distance before them.)
const PAST: u64 = 64;

/// An inclusion problem.
#[derive(Clone, Default, Debug)]
pub struct System {
    /// Number of nodes.
    pub nodes: u32,
    /// The objects.
    pub objects: Vec<Extent>,
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// What can be called through pointers.
    pub callables: Vec<Signature>,
    /// The calls through pointers.
    pub calls: Vec<Call>,
    /// Exact offsets from `-window` to `window` are told apart; beyond, constant steps widen to
    /// the class of offsets that repeating the step would reach.
    pub window: i64,
}

impl System {
    /// A system without constraints.
    pub fn new(window: i64) -> Self {
        Self {
            window,
            ..Self::default()
        }
    }

    /// A fresh node.
    pub fn node(&mut self) -> Node {
        self.nodes += 1;
        Node(self.nodes - 1)
    }

    /// A fresh object.
    pub fn object(&mut self, extent: Extent) -> Object {
        self.objects.push(extent);
        Object::new(self.objects.len() - 1)
    }

    /// The extent of an object.
    pub fn extent(&self, object: Object) -> &Extent {
        &self.objects[object.index()]
    }

    /// Where a pointer to `at` points after a step; `None` if the step does not take it along or
    /// leads far past the object.
    pub fn displaced(&self, at: Location, step: Displacement) -> Option<Location> {
        let integer = match step.how {
            Passage::All => at.integer,
            Passage::ToInteger => true,
            Passage::ToPointer => false,
            Passage::IntegersOnly if at.integer => true,
            Passage::IntegersOnly => return None,
        };
        let mut offset = at.offset.plus(step.by);
        let extent = self.extent(at.object);
        if !extent.holds && step.by != Offset::ZERO {
            // Nothing is ever read from there: where in the object does not matter.
            offset = Offset::ANY;
        } else if extent.size.is_some_and(|size| offset.is_past(size + PAST)) {
            return None;
        }
        if offset.is_exact() && i64::from(offset.residue).abs() > self.window {
            let distance = u64::from(step.by.residue.unsigned_abs());
            offset = Offset::strided(distance.max(1), i64::from(offset.residue));
        }
        Some(Location {
            object: at.object,
            offset,
            integer,
        })
    }

    /// What a call through a pointer to `object` calls.
    pub fn called(&self, call: &Call, object: Object) -> Option<Callable> {
        let callable = self.extent(object).callable?;
        let mut own = call.own.iter().filter(|(general, _)| *general == callable);
        let called = own.next().map_or(callable, |&(_, own)| own);
        call.fits(&self.callables[callable.index()])
            .then_some(called)
    }

    /// The slot classes that an access of `width` bytes at `at` touches. One that starts before the
    /// object is an error and touches nothing: a class of offsets touches no less than each of them.
    pub fn slots(&self, at: Location, width: u64) -> Vec<Offset> {
        let extent = self.extent(at.object);
        let is_before = at.offset.is_exact() && at.offset.residue < 0;
        if extent.holds && !is_before {
            touched(at.offset, width, extent.size)
        } else {
            Vec::new()
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "nodes {}, window {}", self.nodes, self.window)?;
        for (at, extent) in self.objects.iter().enumerate() {
            let size = extent.size.map_or("?".to_string(), |size| size.to_string());
            write!(out, "object o{at}: {size} bytes")?;
            if !extent.writable {
                write!(out, ", constant")?;
            }
            if let Some(callable) = extent.callable {
                write!(out, ", {callable}")?;
            }
            writeln!(out)?;
        }
        for (at, signature) in self.callables.iter().enumerate() {
            write!(out, "f{at}(")?;
            for parameter in &signature.parameters {
                write!(out, " {}", parameter.node)?;
                if let Some((copy, size)) = parameter.copy {
                    write!(out, " by value {copy} [{size}]")?;
                }
            }
            write!(out, " ) -> {}", signature.result)?;
            match signature.rest {
                Some(rest) => writeln!(out, ", rest {rest}")?,
                None => writeln!(out)?,
            }
        }
        for constraint in &self.constraints {
            writeln!(out, "{constraint}")?;
        }
        for call in &self.calls {
            if let Some(result) = call.result {
                write!(out, "{result} = ")?;
            }
            write!(out, "call *{}(", call.callee)?;
            for argument in &call.arguments {
                match argument {
                    Some(node) => write!(out, " {node}")?,
                    None => write!(out, " -")?,
                }
            }
            writeln!(out, " )")?;
        }
        Ok(())
    }
}

//! Constraints: the inclusion problem that a program is turned into, as plain data.
//!
//! A *node* is a variable of the analysis (a register of one function instance, a constant, a
//! result); an *object* is an abstract memory object; a *location* is an object with an
//! [`Offset`]. A node's points-to set is a set of locations. Memory is not made of nodes: the
//! solvers keep, for every object, what was written to each slot class (see [`touched`]), and a
//! read of a slot class sees everything written to an overlapping one. All rules are monotone
//! and the set of locations is finite, so there is one least solution (`naive` computes it word
//! for word).
//!
//! Papers: Pereira and Berlin (CGO 2009) for the constraint kinds; offsets instead of field
//! numbers, overlapping slots, block copies and calls by value are ours.

use crate::interfaces::Interface;
pub use crate::location::{Location, Passage, Step};
use crate::offset::Offset;
pub use crate::offset::touched;
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table that this id indexes.
            pub const fn index(self) -> usize { self.0 as usize }
            /// The id of position `index`.
            ///
            /// # Panics
            /// If `index` exceeds `u32::MAX`.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}{}", $letter, self.0)
            }
        }
    )*};
}

ids! {
    /// A variable of the analysis.
    Node "n"
    /// An abstract memory object ([`System::objects`]).
    Object "o"
    /// Something that can be called ([`System::callables`]).
    Callable "f"
}

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

/// A constraint on points-to sets `p(n)` and memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// `at` is in `p(node)`.
    Address {
        /// The pointer.
        node: Node,
        /// What it points to.
        at: Location,
    },
    /// `p(to)` includes `p(from)`.
    Copy {
        /// The source.
        from: Node,
        /// The destination.
        to: Node,
    },
    /// `p(to)` includes `p(from)` moved by `step`.
    Shift {
        /// The source.
        from: Node,
        /// The step.
        step: Step,
        /// The destination.
        to: Node,
    },
    /// `p(to)` includes what the `width` bytes at each location of `p(pointer)` hold.
    Load {
        /// The address.
        pointer: Node,
        /// Bytes read.
        width: u64,
        /// The destination.
        to: Node,
    },
    /// The `width` bytes at each location of `p(pointer)` hold `p(from)`.
    Store {
        /// The address.
        pointer: Node,
        /// Bytes written.
        width: u64,
        /// The source.
        from: Node,
    },
    /// The `width` bytes at `at` hold `p(from)`, also if the object is constant.
    Hold {
        /// Where.
        at: Location,
        /// Bytes.
        width: u64,
        /// What.
        from: Node,
    },
    /// What `length` bytes (`None`: all) at each location of `p(pointer)` hold, `into` holds from
    /// offset 0 on.
    Gather {
        /// The address of the source block.
        pointer: Node,
        /// The destination object.
        into: Object,
        /// Bytes copied.
        length: Option<u64>,
    },
    /// What `from` holds, the `length` bytes (`None`: all) at each location of `p(pointer)` hold.
    Scatter {
        /// The source object.
        from: Object,
        /// The address of the destination block.
        pointer: Node,
        /// Bytes copied.
        length: Option<u64>,
    },
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

/// Which of up to 64 arguments or parameters are pointers, and which are numbers that no pointer
/// fits in: integers of less than 64 bits and floating point. Bit `i` stands for position `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Kinds {
    /// The pointers.
    pub pointers: u64,
    /// The numbers.
    pub numbers: u64,
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
    pub fn stepped(&self, at: Location, step: Step) -> Option<Location> {
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

/// A block copy between two objects: what `source` holds from `start` on, for `length` bytes,
/// `target` holds from `to` on. Gather and scatter are made of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockCopy {
    /// The source object.
    pub source: Object,
    /// Where the block starts in it.
    pub start: Offset,
    /// The destination object.
    pub target: Object,
    /// Where the block starts in it.
    pub to: Offset,
    /// Bytes; `None` if unknown.
    pub length: Option<u64>,
}

impl BlockCopy {
    /// The copy that a gather makes from a location.
    pub fn gather(at: Location, into: Object, length: Option<u64>) -> Self {
        Self {
            source: at.object,
            start: at.offset,
            target: into,
            to: Offset::ZERO,
            length,
        }
    }

    /// The copy that a scatter makes to a location.
    pub fn scatter(from: Object, at: Location, length: Option<u64>) -> Self {
        Self {
            source: from,
            start: Offset::ZERO,
            target: at.object,
            to: at.offset,
            length,
        }
    }

    /// The slot classes of the target that what was written to `slot` of the source is copied to.
    pub fn image(&self, system: &System, slot: Offset) -> Vec<Offset> {
        self.image_in(system.extent(self.target), system.window, slot)
    }

    /// The same for a target of that extent.
    pub fn image_in(&self, target: &Extent, window: i64, slot: Offset) -> Vec<Offset> {
        if !target.holds || !target.writable {
            return Vec::new();
        }
        let bytes = Offset::strided(u64::from(slot.stride) * 8, i64::from(slot.residue) * 8);
        let distance = bytes.minus(self.start);
        if distance.is_exact() {
            let first = i64::from(distance.residue);
            let past = self.length.is_some_and(|length| first >= length as i64);
            if first <= -8 || past {
                return Vec::new();
            }
        }
        let mut at = distance.plus(self.to);
        if at.is_exact() && i64::from(at.residue).abs() > window {
            at = Offset::strided(8, i64::from(at.residue));
        }
        let mut image = touched(at, 8, target.size);
        let before = i64::from(at.residue) - i64::from(at.stride);
        if !at.is_exact() && before > -8 {
            // The end of a word whose start the block does not have.
            let ends = touched(Offset::exact(before), 8, target.size).into_iter();
            let new: Vec<Offset> = ends
                .filter(|end| !image.iter().any(|slot| slot.covers(*end)))
                .collect();
            image.extend(new);
        }
        match self.length {
            Some(length) if self.to.is_exact() && !distance.is_exact() => {
                self.confined(&image, distance, length, target.size)
            }
            _ => image,
        }
    }

    /// Those of the slots of `image`, words at unknown distances from the block's start, that a
    /// block of `length` bytes touches. The words of all distances together touch what the words
    /// of each do: who gives up telling slots apart must not lose any.
    fn confined(
        &self,
        image: &[Offset],
        distance: Offset,
        length: u64,
        size: Option<u64>,
    ) -> Vec<Offset> {
        let length = i64::try_from(length).unwrap_or(i64::MAX / 2);
        let (first, past) = match i64::from(distance.residue).rem_euclid(8) {
            _ if !distance.stride.is_multiple_of(8) => (-7, length.saturating_add(7)),
            0 => (0, length.saturating_add(7) / 8 * 8),
            rest => (
                rest - 8,
                rest + length.saturating_sub(rest).saturating_add(7).max(0) / 8 * 8,
            ),
        };
        let width = past.saturating_sub(first).max(0) as u64;
        let block = touched(self.to.plus(Offset::exact(first)), width, size);
        let slots = size.map(|size| size.div_ceil(8));
        let all = block.first() == Some(&Offset::exact(0)) && slots == Some(block.len() as u64);
        if all || block.iter().any(|slot| !slot.is_exact()) {
            return image.to_vec();
        }
        let in_image = |slot: &Offset| image.iter().any(|one| one.overlaps(*slot));
        block.into_iter().filter(in_image).collect()
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |length: &Option<u64>| length.map_or("all".to_string(), |n| n.to_string());
        match self {
            Constraint::Address { node, at } => {
                write!(out, "{node} = &{at}")
            }
            Constraint::Copy { from, to } => write!(out, "{to} = {from}"),
            Constraint::Shift { from, step, to } => write!(out, "{to} = {from} + {step}"),
            Constraint::Load { pointer, width, to } => write!(out, "{to} = *{pointer} [{width}]"),
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                write!(out, "*{pointer} [{width}] = {from}")
            }
            Constraint::Hold { at, width, from } => {
                write!(out, "{at} [{width}] holds {from}")
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => {
                write!(out, "{into} = block *{pointer} [{}]", bytes(length))
            }
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                write!(out, "block *{pointer} [{}] = {from}", bytes(length))
            }
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

//! The memory of one state: which objects live, where, and what they contain.
//!
//! Allocation and release, and the accesses whose target is known: a pointer that is an object
//! plus a known offset touches no map of addresses and no solver. Pointers that are expressions
//! go through [`crate::resolve`].

use crate::addresses::Addresses;
use crate::cx::Cx;
use crate::direct::alone;
use crate::fault::{Fault, FaultKind};
use crate::model::policy::Way;
use crate::model::{Isolation, MemoryModel};
use crate::objects::{Kind, Objects};
use crate::paged::PagedVec;
use crate::request::Request;
use crate::resolution::{AccessKind, SegmentIndex};
use crate::resolve::Splitting;
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use crate::storage::{Storage, bytes_of};
use plat_allocator::{Allocator, NULL_PAGE, Region};
use plat_expr::{ExprId, ObjectId, Pool, Rare, Value};
use plat_program::InstId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Objects at one address have this many identities, in turn.
pub(crate) const LIVES: u8 = 8;

/// The address space of the object's kind is exhausted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocFailure {
    /// The kind that was asked for.
    pub kind: Kind,
    /// The size that was asked for.
    pub size: u64,
}

/// How pointers are followed at some instructions.
pub type Pins = Rc<FxHashMap<InstId, Way>>;

/// The memory of a state. Cloning is forking.
pub struct Memory {
    pub(crate) states: PagedVec<ObjectState>,
    pub(crate) segments: Segments,
    pub(crate) addresses: Addresses,
    pub(crate) allocator: Box<dyn Allocator>,
    pub(crate) model: Box<dyn MemoryModel>,
    /// What the model says about itself.
    pub(crate) isolation: Isolation,
    /// Which objects are split into pieces, if any.
    pub(crate) splitting: Option<Splitting>,
    /// How pointers are followed at some instructions, if the model asks.
    pub(crate) pins: Pins,
    heap_live: u64,
    pub(crate) stack_live: u64,
    /// Live objects whose size is an expression, see [`crate::bound`].
    pub(crate) bounds: Rare<Vec<(ObjectId, ExprId)>>,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self {
            states: self.states.clone(),
            segments: self.segments.clone(),
            addresses: self.addresses.clone(),
            allocator: self.allocator.fork(),
            model: self.model.fork(),
            isolation: self.isolation,
            splitting: self.splitting,
            pins: Rc::clone(&self.pins),
            heap_live: self.heap_live,
            stack_live: self.stack_live,
            bounds: self.bounds.clone(),
        }
    }
}

plat_expr::holder!(Memory { segments, bounds }
    plain { states, addresses, allocator, model, isolation, splitting, pins, heap_live, stack_live });

impl Memory {
    /// No objects.
    pub fn new(model: Box<dyn MemoryModel>, allocator: Box<dyn Allocator>) -> Self {
        Self {
            states: PagedVec::new(),
            segments: Segments::new(),
            addresses: Addresses::default(),
            allocator,
            isolation: model.isolation(),
            model,
            splitting: None,
            pins: Pins::default(),
            heap_live: 0,
            stack_live: 0,
            bounds: Rare::default(),
        }
    }

    /// The same memory, in which large objects are split into pieces.
    #[must_use]
    pub fn split(self, splitting: Option<Splitting>) -> Self {
        Self { splitting, ..self }
    }

    /// The same memory, in which pointers at some instructions are followed as they say, if the model
    /// can be told.
    #[must_use]
    pub fn pin(self, pins: Pins) -> Self {
        Self { pins, ..self }
    }

    /// The model that decides where contents are and how symbolic pointers are resolved.
    pub fn model(&self) -> &dyn MemoryModel {
        &*self.model
    }

    /// The regions that objects are in, in the order of [`plat_allocator::Region::ALL`].
    pub fn regions(&self) -> [plat_allocator::Bounds; 4] {
        self.allocator.regions()
    }

    /// Bytes in live heap objects.
    pub fn heap_live(&self) -> u64 {
        self.heap_live
    }

    /// Bytes in live stack objects.
    #[inline]
    pub fn stack_live(&self) -> u64 {
        self.stack_live
    }

    /// A fresh object with zero contents: a pointer to its start.
    pub fn allocate(&mut self, cx: &mut Cx<'_>, request: &Request) -> Result<Value, AllocFailure> {
        let &Request {
            kind, size, align, ..
        } = request;
        let (number, slot) = self
            .allocator
            .allocate_slot(kind.region(), size, align)
            .ok_or(AllocFailure { kind, size })?;
        let slot = slot.filter(|_| matches!(kind, Kind::Stack | Kind::Heap));
        Ok(self.enter(cx, request, (number, slot)))
    }

    /// A fresh object with zero contents at an address that the allocator knows nothing of: a
    /// pointer to its start. `None` if an object lies there already. It is never released.
    pub fn allocate_at(
        &mut self,
        cx: &mut Cx<'_>,
        request: &Request,
        number: u64,
    ) -> Option<Value> {
        let last = number.checked_add(request.size.max(1) - 1)?;
        let taken = self.addresses.overlaps(number, last);
        let slot = self.slot_of(request.kind, number);
        (!taken).then(|| self.enter(cx, request, (number, slot)))
    }

    /// The slot that an address lies in, of the stack or the heap.
    fn slot_of(&self, kind: Kind, number: u64) -> Option<u32> {
        match kind.region() {
            region @ (Region::Stack | Region::Heap) => {
                let bounds = self.allocator.regions()[region as usize];
                bounds
                    .contains(number)
                    .then(|| self.allocator.slot(region, number))?
            }
            _ => None,
        }
    }

    /// A fresh object at an address, which has this slot if it has one.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        cx: &mut Cx<'_>,
        request: &Request,
        (number, slot): (u64, Option<u32>),
    ) -> Value {
        let &Request { kind, size, .. } = request;
        let object = match slot.and_then(|slot| self.follow(cx, request, (number, slot))) {
            Some(object) => object,
            None => self.identify(cx, request, (number, slot)),
        };
        // A function has a number, but no contents.
        let writable = !matches!(kind, Kind::Constant | Kind::Function);
        let comes_alone = self.is_isolated(kind, request.group)
            && self.segments.enter_alone(object, size, writable);
        let place = match comes_alone {
            true => alone(object),
            false => self.place_by_model(cx, request, (object, writable)),
        };
        *self.states.entry(object.index()) = Some(ObjectState {
            place,
            number,
            size: if kind == Kind::Function { 0 } else { size },
            kind,
            live: true,
            writable,
            group: request.group,
            freed_at: None,
        });
        cx.stats.allocations += 1;
        if kind == Kind::Stack {
            self.stack_live += size;
        }
        if kind == Kind::Heap {
            self.heap_live += size;
            cx.stats.heap_peak = cx.stats.heap_peak.max(self.heap_live);
        }
        Value::Pointer(object, 0)
    }

    /// The identity of a fresh object that follows another one in a slot.
    #[inline]
    fn follow(
        &mut self,
        cx: &mut Cx<'_>,
        request: &Request,
        (number, slot): (u64, u32),
    ) -> Option<ObjectId> {
        let Cx { objects, pool, .. } = cx;
        let region = request.kind.region();
        self.addresses.follow(region, slot, request.size, |before| {
            let life = (before.life + 1) % LIVES;
            Some((objects.again(pool, request.info(number, life)), life))
        })
    }

    /// The identity of a fresh object, entered in the map of numbers.
    fn identify(
        &mut self,
        cx: &mut Cx<'_>,
        request: &Request,
        (number, slot): (u64, Option<u32>),
    ) -> ObjectId {
        let region = request.kind.region();
        let life = |object| cx.objects.get(object).life;
        let before = self.addresses.at(region, slot, number, &life);
        let life = before.map_or(0, |before| (before.1 + 1) % LIVES);
        let mut info = request.info(number, life);
        let mut object = cx.objects.intern(cx.pool, info);
        if before.is_none() {
            // A block that overlapped this one may have made the map forget an earlier object.
            while self.object(object).is_some() && info.life + 1 < LIVES {
                info.life += 1;
                object = cx.objects.intern(cx.pool, info);
            }
        }
        let block = (number, request.size);
        self.addresses.put(region, slot, block, (object, info.life));
        object
    }

    /// Takes note of a dead object of another path, so that what comes to its address is told from
    /// it: in a space between objects, or as the later one of two dead objects at an address.
    pub(crate) fn remember(&mut self, cx: &Cx<'_>, object: ObjectId) {
        let info = *cx.objects.get(object);
        let region = info.kind.region();
        let slot = self.slot_of(info.kind, info.number);
        let last = info.number.saturating_add(info.size.max(1) - 1);
        let life = |object| cx.objects.get(object).life;
        let takes = match self.addresses.at(region, slot, info.number, &life) {
            None => !self.addresses.overlaps(info.number, last),
            Some((known, life)) => {
                let other = cx.objects.get(known);
                let ahead = (info.life + LIVES - life) % LIVES;
                let dead = self.object(known).is_none_or(|state| !state.live);
                dead && other.size == info.size && (1..LIVES / 2).contains(&ahead)
            }
        };
        if takes {
            let block = (info.number, info.size);
            self.addresses.put(region, slot, block, (object, info.life));
        }
    }

    /// Ends the life of a live object: free, or return of its function.
    pub fn release(&mut self, cx: &mut Cx<'_>, object: ObjectId, at: InstId) {
        let Some(state) = self.states.get_mut(object.index()) else {
            debug_assert!(false, "releasing an object that this state never had");
            return;
        };
        debug_assert!(state.live, "releasing a dead object");
        state.live = false;
        state.freed_at = Some(at);
        let (kind, number, place, group) = (state.kind, state.number, state.place, state.group);
        let mut size = state.size;
        if let Some(at) = self.bounds.iter().position(|(bound, _)| *bound == object) {
            self.bounds.remove(at);
            size = cx.objects.get(object).size;
        }
        self.allocator.release(kind.region(), number, size);
        if place == alone(object) && self.is_isolated(kind, group) {
            self.segments.leave_alone(object);
        } else {
            self.release_by_model(cx, object, size);
        }
        match kind {
            Kind::Heap => self.heap_live -= size,
            Kind::Stack => self.stack_live -= size,
            _ => {}
        }
    }

    /// Makes an object read-only or writable.
    pub fn set_writable(&mut self, object: ObjectId, writable: bool) {
        if let Some(state) = self.states.get_mut(object.index()) {
            state.writable = writable;
        }
        self.admit(object);
    }

    /// The state of an object, alive or dead, if this state ever had it.
    #[inline]
    pub fn object(&self, object: ObjectId) -> Option<&ObjectState> {
        self.states.get(object.index())
    }

    /// The live objects, in order of their making in this run.
    pub fn live(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let states = self.states.iter();
        states
            .filter(|(_, state)| state.live)
            .map(|(at, _)| ObjectId::new(at))
    }

    /// The object that an address lies in, alive or dead, and the offset in it.
    pub fn find(&self, address: u64) -> Option<(ObjectId, i64)> {
        let regions = self.allocator.regions();
        let mut slotted = [Region::Stack, Region::Heap].into_iter();
        let region = slotted.find(|&region| regions[region as usize].contains(address));
        let place = region.map(|region| (region, self.allocator.slot(region, address)));
        let (object, start) = self.addresses.find(address, place)?;
        Some((object, (address - start).cast_signed()))
    }

    /// The first and the last address of the space between objects that `address` lies in.
    pub(crate) fn gap(&self, address: u64) -> (u64, u64) {
        self.addresses.gap(address)
    }

    /// Number of starting offsets at which an access of `size` bytes is right.
    pub fn limit(&self, objects: &Objects, object: ObjectId, size: u64, access: AccessKind) -> u64 {
        let Some(state) = self.object(object).filter(|state| state.live) else {
            return 0;
        };
        let allowed = match access {
            AccessKind::Free => return u64::from(objects.get(object).kind == Kind::Heap),
            AccessKind::Read => true,
            AccessKind::Write => state.writable,
        };
        let room = match self.bound(object) {
            Some(_) => objects.get(object).size,
            None => state.size,
        };
        match room.checked_sub(size) {
            Some(last) if allowed => last + 1,
            _ => 0,
        }
    }

    /// What an address outside of a constant object belongs to. Compilers make tables of constants
    /// that hold the distances from the table to what they refer to (LLVM's relative lookup
    /// tables), so that a pointer made from a constant may be meant for another object.
    pub(crate) fn relative(
        &self,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
    ) -> Option<(ObjectId, i64)> {
        let info = objects.get(object);
        let outside = offset < 0 || offset.cast_unsigned() >= info.size;
        if info.kind != Kind::Constant || !outside {
            return None;
        }
        let found = self.find(info.number.wrapping_add_signed(offset));
        found.filter(|&(other, _)| other != object)
    }

    /// What is wrong with an access of `size` bytes at `offset` of `object` that is not allowed.
    pub fn fault(
        &self,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        size: u64,
        access: AccessKind,
    ) -> Fault {
        let info = *objects.get(object);
        let state = self.object(object);
        let inside = offset >= 0 && offset.cast_unsigned().saturating_add(size) <= info.size;
        let live = state.is_some_and(|state| state.live);
        let kind = match (access, info.kind) {
            (AccessKind::Free, _) if offset != 0 => FaultKind::InvalidFree,
            (AccessKind::Free, Kind::Stack) => FaultKind::FreeOfAlloca,
            (AccessKind::Free, Kind::Global | Kind::Constant) => FaultKind::FreeOfGlobal,
            (AccessKind::Free, Kind::Heap) if !live => FaultKind::DoubleFree,
            (AccessKind::Free, _) => FaultKind::InvalidFree,
            (_, Kind::Heap) if !live => FaultKind::UseAfterFree,
            (_, Kind::Stack) if !live => FaultKind::UseAfterReturn,
            (AccessKind::Write, _) if live && inside => FaultKind::ReadOnly,
            _ => FaultKind::OutOfBounds,
        };
        Fault {
            kind,
            object: Some(object),
            address: info.number.wrapping_add_signed(offset),
            offset,
            access: size,
            freed_at: state.and_then(|state| state.freed_at),
            info: Some(info),
        }
    }

    /// What is wrong with an access at an address that belongs to no object.
    pub(crate) fn wild(address: u64, size: u64, access: AccessKind) -> Fault {
        let kind = match access {
            AccessKind::Free => FaultKind::InvalidFree,
            _ if address < NULL_PAGE => FaultKind::NullPage,
            _ => FaultKind::OutOfBounds,
        };
        Fault {
            kind,
            object: None,
            address,
            offset: 0,
            access: size,
            freed_at: None,
            info: None,
        }
    }

    /// The place of an access at a known offset, or what is wrong with it.
    #[inline]
    fn place(
        &self,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        size: u64,
        access: AccessKind,
    ) -> Result<Place, Fault> {
        if let Some(state) = self.object(object)
            && state.live
            && (access == AccessKind::Read || state.writable)
            && let Some(end) = offset.cast_unsigned().checked_add(size)
            && end <= state.size
        {
            return Ok(Place {
                segment: state.place.segment,
                offset: state.place.offset + offset.cast_unsigned(),
            });
        }
        match self.relative(objects, object, offset) {
            Some((object, offset)) => self.place(objects, object, offset, size, access),
            None => Err(self.fault(objects, object, offset, size, access)),
        }
    }

    /// Reads `bits` bits at a known offset of an object.
    pub fn load(
        &self,
        pool: &mut Pool,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        bits: u32,
    ) -> Result<Value, Fault> {
        let size = u64::from(bytes_of(bits));
        let place = self.place(objects, object, offset, size, AccessKind::Read)?;
        Ok(self
            .segments
            .get(place.segment)
            .load(pool, place.offset, bits))
    }

    /// Writes `bits` bits at a known offset of an object.
    pub fn store(
        &mut self,
        pool: &mut Pool,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        value: Value,
        bits: u32,
    ) -> Result<(), Fault> {
        let size = u64::from(bytes_of(bits));
        let place = self.place(objects, object, offset, size, AccessKind::Write)?;
        let storage = self.segments.get_mut(place.segment);
        storage.store(pool, place.offset, value, bits);
        Ok(())
    }

    /// Whether a pointer that is no expression may be freed: the object to release, `None` for a
    /// null pointer.
    pub fn check_free(&self, objects: &Objects, pointer: Value) -> Result<Option<ObjectId>, Fault> {
        let (object, offset) = match pointer {
            Value::Int(0) => return Ok(None),
            Value::Int(address) => self
                .find(address)
                .ok_or_else(|| Self::wild(address, 0, AccessKind::Free))?,
            Value::Pointer(object, offset) => (object, offset),
            Value::Expr(_) | Value::Aggregate(_) => {
                return Err(Self::wild(0, 0, AccessKind::Free));
            }
        };
        if offset == 0 && self.limit(objects, object, 0, AccessKind::Free) > 0 {
            return Ok(Some(object));
        }
        Err(self.fault(objects, object, offset, 0, AccessKind::Free))
    }

    /// How large a segment is.
    ///
    /// # Panics
    /// If there is no such segment: a resolution was kept over a release.
    pub fn segment_bytes(&self, segment: SegmentIndex) -> u64 {
        self.segments.get(segment).size()
    }

    /// The contents that a place is in.
    pub(crate) fn storage(&self, place: Place) -> &Storage {
        self.segments.get(place.segment)
    }

    /// The place of `size` bytes at a known offset; see [`Memory::load`].
    pub(crate) fn range(
        &self,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        size: u64,
        access: AccessKind,
    ) -> Result<Place, Fault> {
        self.place(objects, object, offset, size, access)
    }
}

//! Block copies: which slots of one object become which slots of another one.

use super::ids::Object;
use super::location::Location;
use super::offset::{Offset, touched};
use super::system::{Extent, System};

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

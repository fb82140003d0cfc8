//! A program as bytes. One process reads bitcode for another, and LLVM's memory is freed when it ends.
//! Both processes are the same plat, so the bytes carry no version.

use crate::program::Program;
use std::fmt;

/// The bytes are not those of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damaged(String);

impl fmt::Display for Damaged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "not the bytes of a program: {}", self.0)
    }
}

impl std::error::Error for Damaged {}

/// Bytes as a whole: one by one they take ten times as long.
pub(crate) mod plain {
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};
    use std::fmt;

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(out, "bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_bytes(Bytes)
    }
}

/// Locations, with each file's name once: it is half of all bytes otherwise.
pub(crate) mod locations {
    use crate::function::Location;
    use crate::ids::LocId;
    use rustc_hash::FxHashMap;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// The number of the file, line, column, and where it was inlined.
    type Place = (u32, u32, u32, Option<LocId>);

    pub(crate) fn serialize<S: Serializer>(list: &[Location], to: S) -> Result<S::Ok, S::Error> {
        let mut files: Vec<&str> = Vec::new();
        let mut numbers = FxHashMap::default();
        let places = list.iter().map(|location| {
            let file = *numbers.entry(location.file.as_str()).or_insert_with(|| {
                files.push(&location.file);
                files.len() as u32 - 1
            });
            let inlined_at = location.inlined_at;
            (file, location.line, location.column, inlined_at)
        });
        let places: Vec<Place> = places.collect();
        (files, places).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Location>, D::Error> {
        let (files, places): (Vec<String>, Vec<Place>) = Deserialize::deserialize(from)?;
        let location = |(file, line, column, inlined_at): Place| {
            let file = files.get(file as usize).cloned();
            let file = file.ok_or_else(|| D::Error::custom("a file without a name"))?;
            Ok(Location {
                file,
                line,
                column,
                inlined_at,
            })
        };
        places.into_iter().map(location).collect()
    }
}

impl Program {
    /// Writes the bytes.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, out: impl std::io::Write) -> std::io::Result<()> {
        let written = postcard::to_io(self, out);
        written.map(|_| ()).map_err(std::io::Error::other)
    }

    /// The program that has these bytes.
    ///
    /// # Errors
    /// When none has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        postcard::from_bytes(bytes).map_err(|why| Damaged(why.to_string()))
    }
}

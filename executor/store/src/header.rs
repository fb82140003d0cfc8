//! The header of a store.

use crate::frame::{self, Frame, Kind};
use crate::{Error, MAGIC, Record, Storage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a store says of itself.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Header {
    /// What tells the program apart from others: a hash of its bitcode.
    pub program: String,
    /// The options that change what a path does and which paths there are. Records of runs that differ
    /// in them do not fit together.
    pub decisions: BTreeMap<String, String>,
    /// Anything else that a reader may want to know.
    pub about: BTreeMap<String, String>,
}

/// The header as it stands in the file.
#[derive(Serialize, Deserialize)]
struct Written {
    records: String,
    version: u32,
    header: Header,
}

impl Header {
    /// What of the run differs, if records of both do not fit together.
    ///
    /// # Errors
    /// [`Error::OtherRun`] names the first difference.
    pub fn check_same_run(&self, other: &Header) -> Result<(), Error> {
        if self.program != other.program {
            return Err(Error::OtherRun("the program".to_owned()));
        }
        let keys = self.decisions.keys().chain(other.decisions.keys());
        let differs = |key: &&String| self.decisions.get(*key) != other.decisions.get(*key);
        match keys.into_iter().find(differs) {
            Some(key) => Err(Error::OtherRun(key.clone())),
            None => Ok(()),
        }
    }

    /// The first bytes of a store with this header.
    pub(crate) fn to_bytes<R: Record>(&self) -> Result<Vec<u8>, Error> {
        let written = Written {
            records: R::NAME.to_owned(),
            version: R::VERSION,
            header: self.clone(),
        };
        let unencodable = |why| Error::Record { number: 0, why };
        let body = plat_protocol::encode(&written).map_err(unencodable)?;
        let mut bytes = MAGIC.to_vec();
        let head = frame::head(Kind::Header, 0, &body).map_err(unencodable)?;
        bytes.extend(head);
        bytes.extend(body);
        Ok(bytes)
    }

    /// The header of a store, and where its blocks begin.
    pub(crate) fn read<R: Record>(from: &impl Storage) -> Result<(Self, u64), Error> {
        let mut magic = [0; MAGIC.len()];
        if from.read_at(&mut magic, 0)? < magic.len() || magic != MAGIC {
            return Err(Error::NoStore);
        }
        let start = MAGIC.len() as u64;
        let Ok(Frame {
            kind: Kind::Header,
            body,
            end,
            ..
        }) = frame::read(from, start, from.length()?)?
        else {
            return Err(Error::NoStore);
        };
        let written: Written = plat_protocol::decode(&body).map_err(|_| Error::NoStore)?;
        if written.records != R::NAME || written.version != R::VERSION {
            return Err(Error::OtherRecords {
                found: format!("{} (version {})", written.records, written.version),
                wanted: format!("{} (version {})", R::NAME, R::VERSION),
            });
        }
        Ok((written.header, end))
    }
}

//! The libraries that a program is linked with: that of C, and that of C++ for the symbols of C++.
//!
//! Both have the little that the language C++ itself needs (`std::exception`, `std::bad_alloc`). A
//! program that was compiled with the headers of the C++ library takes it from there, so that what it
//! prints is that library's; any other program takes the C library's, as if there were no other.

use crate::archive::Archive;
use crate::error::TransformError;
use std::path::PathBuf;

/// What the symbols of the C++ library that is there as bitcode, libc++, have in common.
const NAMESPACE: &str = "St3__1";

/// Whether a symbol is one of libc++'s own namespace.
pub fn of_libcxx(symbol: &str) -> bool {
    symbol.starts_with("_Z") && symbol.contains(NAMESPACE)
}

/// A member: of which library, and where it begins.
pub type Place = (bool, usize);

/// The libraries of a link.
pub struct Libraries {
    c: Archive,
    /// Opened when a symbol of C++ is looked for.
    cxx: Cxx,
    cxx_first: bool,
}

enum Cxx {
    None,
    Closed(PathBuf),
    Open(Archive),
}

impl Libraries {
    /// The C library, and that of C++ if it is there; `cxx_first` says that the program was made for it.
    pub fn new(c: Archive, cxx: Option<PathBuf>, cxx_first: bool) -> Self {
        let cxx = cxx.map_or(Cxx::None, Cxx::Closed);
        Libraries { c, cxx, cxx_first }
    }

    /// The member that defines a symbol.
    pub fn defining(&mut self, symbol: &str) -> Result<Option<Place>, TransformError> {
        let c = self.c.defining(symbol).map(|place| (false, place));
        let c_suffices = c.is_some() && !self.cxx_first;
        // Members of the C++ library also ask each other for names of C.
        let of_cxx = symbol.starts_with("_Z") || symbol.starts_with("__cxa_");
        if c_suffices || !of_cxx && !matches!(self.cxx, Cxx::Open(_)) {
            return Ok(c);
        }
        if let Cxx::Closed(path) = &self.cxx {
            self.cxx = Cxx::Open(Archive::open(path)?);
        }
        let cxx = match &self.cxx {
            Cxx::Open(library) => library.defining(symbol).map(|place| (true, place)),
            _ => None,
        };
        Ok(cxx.or(c))
    }

    /// The contents of a member, and a name for messages.
    pub fn member(&self, (of_cxx, offset): Place) -> Result<(String, &[u8]), TransformError> {
        match &self.cxx {
            Cxx::Open(library) if of_cxx => library.member(offset),
            _ => self.c.member(offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_libcxx;

    #[test]
    fn symbols_of_libcxx_are_told_from_those_of_other_libraries() {
        assert!(of_libcxx("_ZNSt3__14coutE"));
        assert!(of_libcxx(
            "_Z3runRKNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE"
        ));
        assert!(!of_libcxx("_ZSt4cout"));
        assert!(!of_libcxx("_ZNSt13runtime_errorC1EPKc"));
        assert!(!of_libcxx("my_St3__1"));
    }
}

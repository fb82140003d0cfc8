//! Values as bytes, from one process to another of the same program.

use plat_program::{FuncId, GlobalId, GroupId, InstId};
use std::collections::BTreeMap;
use std::time::Duration;

/// What can be sent. `get` takes it off the front of the bytes; `None` if they are none of `put`'s.
pub(super) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(from: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn get(from: &mut &[u8]) -> Option<Self> {
                let (bytes, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

numbers!(u8, u32, i32, u64, usize);

/// Sends structs field by field; a field that is left out is an error of the compiler.
macro_rules! structs {
    ($($name:ty { $($field:ident),* $(,)? })*) => {$(
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.put(out);)*
            }

            fn get(from: &mut &[u8]) -> Option<Self> {
                $(let $field = Wire::get(from)?;)*
                Some(Self { $($field),* })
            }
        }
    )*};
}

/// Sends enums: a number for each variant, then its parts; a variant that is left out is an error
/// of the compiler.
macro_rules! enums {
    ($($name:ty { $($number:literal $variant:ident $(($($part:ident),*))?),* $(,)? })*) => {$(
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($($part),*))? => {
                        out.push($number);
                        $($($part.put(out);)*)?
                    })*
                }
            }

            fn get(from: &mut &[u8]) -> Option<Self> {
                Some(match u8::get(from)? {
                    $($number => {
                        $($(let $part = Wire::get(from)?;)*)?
                        Self::$variant $(($($part),*))?
                    })*
                    _ => return None,
                })
            }
        }
    )*};
}

macro_rules! ids {
    ($($name:ty),*) => {$(
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }

            fn get(from: &mut &[u8]) -> Option<Self> {
                Some(Self(u32::get(from)?))
            }
        }
    )*};
}

pub(super) use {enums, structs};

ids!(InstId, FuncId, GlobalId, GroupId, crate::state::StateId);

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        Some(u8::get(from)? != 0)
    }
}

impl Wire for Duration {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_secs().put(out);
        self.subsec_nanos().put(out);
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        Some(Duration::new(Wire::get(from)?, Wire::get(from)?))
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend(self.as_bytes());
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        let length = usize::get(from)?;
        let (bytes, rest) = from.split_at_checked(length)?;
        *from = rest;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        Some(match bool::get(from)? {
            true => Some(T::get(from)?),
            false => None,
        })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for item in self {
            item.put(out);
        }
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        let length = usize::get(from)?;
        let mut items = Vec::with_capacity(length.min(from.len()));
        for _ in 0..length {
            items.push(T::get(from)?);
        }
        Some(items)
    }
}

impl<T: Wire + Default + Copy, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for item in self {
            item.put(out);
        }
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = T::get(from)?;
        }
        Some(items)
    }
}

impl<K: Wire + Ord, V: Wire> Wire for BTreeMap<K, V> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for (key, value) in self {
            key.put(out);
            value.put(out);
        }
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        let mut map = BTreeMap::new();
        for _ in 0..usize::get(from)? {
            map.insert(K::get(from)?, V::get(from)?);
        }
        Some(map)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        Some((A::get(from)?, B::get(from)?))
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (**self).put(out);
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        Some(Box::new(T::get(from)?))
    }
}

//! Indices with a type: a `u32` newtype for each table, so that an index into one table is never
//! used in another one.

/// Declares index types. Each is a `u32` newtype that can be ordered, hashed and serialized (as
/// the number). With a letter it is displayed as that letter and the number.
///
/// ```
/// plat_basics::ids! {
///     /// A row.
///     Row
///     /// A column.
///     Column "c"
/// }
/// assert_eq!(Row::new(3).index(), 3);
/// assert_eq!(Column(7).to_string(), "c7");
/// ```
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $($letter:literal)?)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[derive($crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "plat_basics::serde", transparent)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table that this id indexes.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
            /// The id of position `index`.
            ///
            /// # Panics
            /// If `index` exceeds `u32::MAX`.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }
        }
        $(impl ::std::fmt::Display for $name {
            fn fmt(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(out, "{}{}", $letter, self.0)
            }
        })?
    )*};
}

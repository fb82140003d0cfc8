//! The analyses on C programs and on textual IR.

mod checker;
mod choices;
mod corpus;
mod parts;
mod text;

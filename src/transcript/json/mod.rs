//! JSON kept as it was spelled, and printed as JavaScript and Python print it.
//!
//! Estimators count what another program would print for a value: `JSON.stringify` for Pi, `repr` and `json.dumps` for
//! Deep Agents. The count depends on things that a parsed Rust value has lost: a lone surrogate escape (`"\ud83d"`,
//! which no Rust string can hold), the order of keys, the digits of a large integer. So everything here starts from
//! the raw text of one JSON value.
//!
//! The grammar is that of RFC 8259, without the extensions that Python's `json.loads` allows (`NaN`, `Infinity`).
//! Text that is not one JSON value, or that nests deeper than [`MAX_DEPTH`], gives `None` everywhere.
//!
//! - [`js`]: `JSON.stringify(JSON.parse(raw))` and its length, without building it where the text is already so spelled.
//! - [`python`]: `repr(json.loads(raw))`, `json.dumps(json.loads(raw))` and their lengths.
//! - `read`: the pull reader that importers use.
//! - [`unescape`]: the content of one string, with the count of surrogates that had to be replaced.

mod canonical;
pub mod js;
mod number;
mod parse;
mod print;
mod printable;
pub mod python;
pub(crate) mod read;
mod string;

pub use parse::MAX_DEPTH;
pub(super) use print::astral;
pub use string::{Unescaped, unescape};

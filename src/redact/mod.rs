//! Secrets, addresses and names out of a session, without changing a length.
//!
//! What is found: keys and tokens of providers, private keys, bearer and basic headers, passwords in addresses, values of
//! settings and JSON fields whose name says that they are secret, e-mail addresses, and the user's name in home paths.
//! It is looked for everywhere in a transcript, also in JSON that is kept as it was spelled and in JSON inside of its
//! strings. Base64 data of pictures and signatures of reasoning are left alone.
//!
//! A letter or digit of a secret becomes `x` or `X`, other signs stay. So every text keeps its length in UTF-16 units,
//! code points and bytes, JSON stays JSON, and a second pass finds nothing. Which of the two it becomes follows from the
//! secret: the same secret gets the same replacement throughout a transcript, so that what is looked for in it (an
//! annotated item, a repeated value) is still found. A secret of six or more signs is then replaced wherever else it stands;
//! one of letters alone, which may be an ordinary word, not within a longer word. A name from a home path is replaced wherever
//! it stands as a word, in a branch or beside a file that is listed; one of less than six signs, letters alone, only in paths.
//!
//! Patterns find what they know; they are no proof that nothing is left.

mod find;
mod json;
mod keys;
mod known;
mod patterns;
mod redactor;
mod replace;
mod transcript;

pub use find::{Found, find};
pub use keys::{MASK, without_keys};
pub use patterns::SecretKind;
pub use redactor::Redactor;
pub use transcript::{Redacted, redact, redact_with};

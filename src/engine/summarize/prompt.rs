//! The prompt of a call.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

/// A prompt: a text of some hundred kilobytes, mostly. It is hashed once, for all caches that know texts by their digest,
/// and its copies share it.
#[derive(Clone, Default)]
pub struct Prompt(Arc<Digested>);

#[derive(Default)]
struct Digested {
    text: String,
    digest: OnceLock<[u8; 32]>,
}

impl Prompt {
    /// The SHA-256 of the text.
    pub fn digest(&self) -> [u8; 32] {
        *self.0.digest.get_or_init(|| Sha256::digest(&self.0.text).into())
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self(Arc::new(Digested { text, digest: OnceLock::new() }))
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for Prompt {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq for Prompt {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Prompt {}

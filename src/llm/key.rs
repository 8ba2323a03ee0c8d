//! Keys of endpoints. They come from environment variables and go nowhere but into a header.

use std::fmt;

use super::config::{LlmConfig, LlmConfigError};
use crate::redact::{MASK, without_keys};

/// A key, or none where an endpoint wants none.
#[derive(Clone, Default)]
pub(super) struct Key(Option<String>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Key(set)" } else { "Key(none)" })
    }
}

impl Key {
    /// Reads the variable that the configuration names. Without a name it is the protocol's usual one, which may be unset
    /// where the endpoint is not the maker's: local servers want no key.
    pub(super) fn read(config: &LlmConfig) -> Result<Self, LlmConfigError> {
        let Some((_, usual)) = config.api.home() else { return Ok(Self(None)) };
        let name = config.key_env.as_deref().unwrap_or(usual);
        let value = std::env::var(name).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let is_home = config.is_home();
        if value.is_none() && (config.key_env.is_some() || is_home) {
            return Err(LlmConfigError {
                field: "key_env",
                what: format!("the environment variable {name} is not set"),
                hint: format!("export {name}=…, or name another variable; `--llm-mode replay` needs no key"),
            });
        }
        // The maker's key is not sent to somebody else unless it is asked for by name.
        Ok(Self(value.filter(|_| config.key_env.is_some() || is_home)))
    }

    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text without this key, and without anything that looks like one.
    pub(super) fn redact(&self, text: &str) -> String {
        let text = match self.get().filter(|key| key.len() >= 8) {
            Some(key) => text.replace(key, MASK),
            None => text.to_owned(),
        };
        without_keys(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key(Some("my-own-secret".to_owned()));
        assert_eq!(format!("{key:?}"), "Key(set)");
        assert_eq!(key.redact("wrong key: my-own-secret!"), "wrong key: [redacted]!");
        assert_eq!(key.redact("and ghp_0123456789abcdefghij"), "and [redacted]");
    }
}

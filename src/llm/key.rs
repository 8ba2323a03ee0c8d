//! Keys of endpoints. They come from environment variables and go nowhere but into a header.

use std::fmt;

use super::config::{LlmConfig, LlmConfigError};

/// What stands where a key or a token stood.
const MASK: &str = "[redacted]";

/// How well-known keys and tokens begin, and how long the rest of one is at least.
const KNOWN: [(&str, usize); 12] = [
    ("sk-", 16),
    ("sk_live_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("AKIA", 16),
    ("AIza", 30),
    ("hf_", 24),
    ("npm_", 24),
];

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
        redact(&text)
    }
}

/// The text without words that look like keys or tokens.
pub(super) fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, length)) = next(rest) {
        out.push_str(&rest[..at]);
        out.push_str(MASK);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

/// Place and length of the first one.
fn next(text: &str) -> Option<(usize, usize)> {
    let of = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let found = |(start, least): (&str, usize)| {
        text.match_indices(start).find_map(|(at, _)| {
            let begins = !text[..at].ends_with(of);
            let rest = &text[at + start.len()..];
            let length = rest.find(|c| !of(c)).unwrap_or(rest.len());
            // Words such as `sk-learn-based-estimators` have no digit.
            let is_random = rest[..length].bytes().any(|byte| byte.is_ascii_digit());
            (begins && length >= least && is_random).then_some((at, start.len() + length))
        })
    };
    KNOWN.into_iter().filter_map(found).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_and_words_are_not() {
        let key = Key(Some("my-own-secret".to_owned()));
        assert_eq!(format!("{key:?}"), "Key(set)");
        assert_eq!(key.redact("wrong key: my-own-secret!"), "wrong key: [redacted]!");
        let text = "a sk-ant-api03-0123456789abcdef b ghp_0123456789abcdefghij, AKIA0123456789ABCDEF";
        assert_eq!(redact(text), "a [redacted] b [redacted], [redacted]");
        let plain = "task-0123456789abcdef0 sk-learn-based-estimators sk-12 日本";
        assert_eq!(redact(plain), plain);
    }
}

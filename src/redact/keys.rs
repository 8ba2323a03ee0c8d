//! Keys and tokens out of what a program says or keeps of its own calls: a mark in their place, because no length must stay.

use super::find::{find, spliced};
use super::patterns::SecretKind;

/// What stands where a key or a token stood.
pub const MASK: &str = "[redacted]";

/// The text without keys and tokens that bear the mark of their provider, web tokens, and values of authorization headers.
pub fn without_keys(text: &str) -> String {
    let is_key = |kind| {
        matches!(kind, SecretKind::ProviderKey | SecretKind::WebToken | SecretKind::Header | SecretKind::PrivateKey)
    };
    let keys = find(text).into_iter().filter(|found| is_key(found.kind));
    spliced(text, keys, |_, out| out.push_str(MASK))
}

#[cfg(test)]
mod tests {
    use super::without_keys;

    #[test]
    fn keys_are_masked_and_words_are_not() {
        let text = "a sk-ant-api03-0123456789abcdef b ghp_0123456789abcdefghij, AKIA0123456789ABCDEF";
        assert_eq!(without_keys(text), "a [redacted] b [redacted], [redacted]");
        assert_eq!(without_keys("Authorization: Bearer abcDEF123456.x-y"), "Authorization: Bearer [redacted]");
        let plain = "basic authentication; task-0123456789abcdef0 sk-learn-based-estimators sk-12 日本 mara@kiln.museum /home/mara/kiln";
        assert_eq!(without_keys(plain), plain);
    }
}

//! What a secret looks like.

use std::sync::LazyLock;

use regex::Regex;

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A private key in PEM form.
    PrivateKey,
    /// A key or token with the mark of its provider.
    ProviderKey,
    /// A JSON web token.
    WebToken,
    /// The value of an authorization header.
    Header,
    /// The password of an address (`scheme://user:password@host`).
    UrlPassword,
    /// A setting or JSON field whose name says that it is secret.
    Setting,
    /// An e-mail address.
    Email,
    /// The user's name in the path of a home folder.
    HomePath,
}

impl SecretKind {
    /// All of them, in the order in which they are looked for: a text that is two of them counts as the first.
    pub const ALL: [Self; 8] = [
        Self::PrivateKey,
        Self::ProviderKey,
        Self::WebToken,
        Self::Header,
        Self::UrlPassword,
        Self::Setting,
        Self::Email,
        Self::HomePath,
    ];

    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "private-key",
            Self::ProviderKey => "provider-key",
            Self::WebToken => "web-token",
            Self::Header => "header",
            Self::UrlPassword => "url-password",
            Self::Setting => "setting",
            Self::Email => "email",
            Self::HomePath => "home-path",
        }
    }
}

/// A pattern whose group `s` is the secret.
pub(super) struct Pattern {
    pub(super) kind: SecretKind,
    pub(super) regex: Regex,
}

/// Words in a name that say that the value is secret.
const SECRET: &str =
    "(?:api_?key|access_?key|secret|token|passwd|password|passphrase|credential|private_?key|auth_?key)";

/// Sources of the patterns. A quote may be escaped, because JSON stands in strings of JSON.
fn sources() -> Vec<(SecretKind, String)> {
    use SecretKind::{Email, Header, HomePath, PrivateKey, ProviderKey, Setting, UrlPassword, WebToken};
    let quote = r#"\\*["']"#;
    vec![
        (PrivateKey, r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?<s>[^-]{16,}?)(?:-----END|$)".into()),
        // Marks that the providers publish so that scanners find their keys.
        (
            ProviderKey,
            concat!(
                r"\b(?<s>sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_\-]{16,}|",
                r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_\-]{16,}|",
                r"(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[A-Za-z0-9_\-]{30,}|ya29\.[A-Za-z0-9_\-]{20,}|",
                r"xox[abposr]-[A-Za-z0-9\-]{10,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_\-]{20,}|",
                r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|",
                r"dop_v1_[a-f0-9]{32,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|lin_api_[A-Za-z0-9]{20,})",
            )
            .into(),
        ),
        (WebToken, r"\b(?<s>eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,})".into()),
        // Behind the name of a header there is its value; elsewhere, in prose, a word may follow.
        (
            Header,
            format!(
                r"(?i)(?<named>\bauthorization\\*[\x22']?\s*:\s*(?:{quote})?)?\b(?:bearer|basic)\s+(?<s>[A-Za-z0-9._~+/\-]{{12,}}=*)"
            ),
        ),
        (Header, format!(r"(?i)(?<named>\bx-api-key\\*[\x22']?\s*:\s*{quote}?)(?<s>[A-Za-z0-9._\-]{{12,}})")),
        (UrlPassword, r"\b[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s/:@\x22'\\]*:(?<s>[^\s/@\x22'\\]+)@".into()),
        // A line of an environment file, or an assignment in a shell: the name in capitals.
        (
            Setting,
            format!(
                r"\b[A-Z][A-Z0-9_]*{}[A-Z0-9_]*=(?:{quote})?(?<s>[^\s\x22'\\$<{{(;&|`]{{6,}})",
                SECRET.to_uppercase()
            ),
        ),
        // A field of JSON, YAML or source, with a quoted value.
        (
            Setting,
            format!(r"(?i)[a-z0-9_\-]*{SECRET}{quote}?\s*(?::|=|=>)\s*{quote}(?<s>[^\s\x22'\\$<{{]{{6,}}){quote}"),
        ),
        (Email, r"(?<s>[A-Za-z0-9][A-Za-z0-9._%+\-]*@(?:[A-Za-z0-9\-]+\.)+[A-Za-z]{2,24})\b".into()),
        (HomePath, r"(?i)(?:/home/|/users/|[a-z]:\\+users\\+|file:///users/)(?<s>[^\s/\\\x22'<>:|*?,;)\]}]+)".into()),
        // A path as the name of a folder, as Claude Code keeps its projects.
        (HomePath, r"-(?:Users|home)-(?<s>[A-Za-z0-9._]+)-".into()),
    ]
}

/// All patterns, in order.
#[expect(clippy::unwrap_used, reason = "the patterns are fixed, and a test compiles them")]
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    sources().into_iter().map(|(kind, source)| Pattern { kind, regex: Regex::new(&source).unwrap() }).collect()
});

/// Whether the name of a JSON field says that its value is secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    #[expect(clippy::unwrap_used, reason = "the pattern is fixed, and a test compiles it")]
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("(?i)^[a-z0-9_.\\-]*{SECRET}$|^(?i:authorization|x-api-key)$")).unwrap());
    NAME.is_match(name)
}

/// Names of home folders that are nobody's.
const NOBODY: &[&str] = &[
    "shared",
    "public",
    "user",
    "username",
    "runner",
    "root",
    "node",
    "ubuntu",
    "app",
    "me",
    "you",
    "dev",
    "admin",
    "agent",
    "claude",
    "codex",
    "gemini",
    "openhands",
    "vscode",
    "codespace",
    "gitpod",
    "sandbox",
    "ec2-user",
    "vagrant",
    "jovyan",
];

/// Whether a text that looks like a secret is none: a placeholder, a name that is nobody's, a number of tokens, a word, or
/// something that was replaced already.
pub(super) fn is_harmless(kind: SecretKind, secret: &str) -> bool {
    let mut signs = secret.chars().filter(|sign| sign.is_alphanumeric()).peekable();
    if signs.peek().is_none() || signs.all(super::replace::is_replacement) {
        return true;
    }
    let lower = secret.to_ascii_lowercase();
    match kind {
        SecretKind::HomePath => NOBODY.contains(&&*lower) || secret.starts_with(['$', '{', '.', '~']),
        SecretKind::Setting | SecretKind::UrlPassword => {
            let words =
                ["your", "example", "placeholder", "changeme", "redacted", "process.env", "os.environ", "undefined"];
            words.iter().any(|word| lower.contains(word))
                || matches!(&*lower, "none" | "null" | "true" | "false" | "string" | "password" | "secret" | "number")
                || secret.starts_with(['$', '<', '{'])
                || secret.chars().all(|sign| sign.is_ascii_digit() || sign == '.')
        }
        SecretKind::Email => {
            let (name, host) = lower.rsplit_once('@').unwrap_or_default();
            let nobody = matches!(name, "git" | "noreply" | "no-reply" | "user" | "you");
            nobody
                || ["example.com", "example.org", "example.net", "test.com", "localhost"]
                    .iter()
                    .any(|one| host.ends_with(one))
                || host.contains("noreply")
        }
        // `sk-learn-based-estimators`: random signs of such a length are not all small letters.
        SecretKind::ProviderKey => secret.bytes().all(|sign| sign.is_ascii_lowercase() || sign == b'-' || sign == b'_'),
        SecretKind::Header | SecretKind::PrivateKey | SecretKind::WebToken => false,
    }
}

/// Whether this may be a word, as in `basic authentication`: tokens have digits, capitals or signs that no word has.
pub(super) fn is_word(text: &str) -> bool {
    let sign = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'=' | b'~');
    !text.bytes().any(sign) && !text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::{PATTERNS, is_secret_name};

    #[test]
    fn all_patterns_have_the_group() {
        for pattern in PATTERNS.iter() {
            assert!(pattern.regex.capture_names().flatten().any(|name| name == "s"), "{}", pattern.regex);
        }
    }

    #[test]
    fn names_of_fields() {
        for name in
            ["api_key", "apiKey", "OPENAI_API_KEY", "password", "access_token", "client-secret", "Authorization"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["tokens", "max_tokens", "input_tokens", "secrets_count", "key", "author", "passwords_changed"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}

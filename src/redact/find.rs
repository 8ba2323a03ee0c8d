//! Secrets in a text.

use std::ops::Range;

use super::patterns::{PATTERNS, SecretKind, is_harmless, is_word};

/// Bytes of the shortest value that is taken for a secret.
const SHORTEST: usize = 6;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: SecretKind,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// The secrets in `text`, in their order, none over another.
pub fn find(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    // All patterns need one of these signs or a word; most short texts have none.
    for pattern in PATTERNS.iter() {
        for captures in pattern.regex.captures_iter(text) {
            let Some(secret) = captures.name("s") else { continue };
            let range =
                if pattern.kind == SecretKind::Setting { without_mark(text, secret.range()) } else { secret.range() };
            let free = !found.iter().any(|known| known.range.start < range.end && range.start < known.range.end);
            let in_prose = pattern.kind == SecretKind::Header && captures.name("named").is_none();
            let harmless = is_harmless(pattern.kind, secret.as_str()) || in_prose && is_word(secret.as_str());
            if free && !harmless {
                found.push(Found { kind: pattern.kind, range });
            }
        }
    }
    found.sort_by_key(|one| one.range.start);
    found
}

/// The text with what `new` writes in the place of each of its secrets.
pub(super) fn spliced(
    text: &str,
    places: impl IntoIterator<Item = Found>,
    mut new: impl FnMut(&str, &mut String),
) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for Found { range, .. } in places {
        out.push_str(&text[done..range.start]);
        new(&text[range.clone()], &mut out);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

/// Where a value stands without the marks of the sentence around it, so that it is found again where it stands in another
/// sentence. Marks before the quote that closes a value are its own.
fn without_mark(text: &str, range: Range<usize>) -> Range<usize> {
    if text[range.end..].trim_start_matches('\\').starts_with(['"', '\'']) {
        return range;
    }
    let bare = text[range.clone()].trim_end_matches([',', '.', ':', ')', ']', '!', '?']);
    if bare.len() < SHORTEST { range } else { range.start..range.start + bare.len() }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::redact::SecretKind::{self, *};

    fn found(text: &str) -> Vec<(SecretKind, &str)> {
        find(text).into_iter().map(|one| (one.kind, &text[one.range])).collect()
    }

    #[test]
    fn each_kind_is_found() {
        let key = concat!("sk-", "ant-api03-AbCdEfGhIjKlMnOp");
        assert_eq!(found(&format!("use {key}.")), [(ProviderKey, key)]);
        let token = concat!("gh", "p_0123456789abcdefghij0123");
        assert_eq!(found(&format!("token={token}")), [(ProviderKey, token)]);
        assert_eq!(found("Authorization: Bearer abcDEF123456.x-y"), [(Header, "abcDEF123456.x-y")]);
        assert_eq!(found("Authorization: Bearer kiln-deploy-token"), [(Header, "kiln-deploy-token")]);
        assert_eq!(found(r#"{\"authorization\": \"Basic kilndeploytoken\"}"#), [(Header, "kilndeploytoken")]);
        assert_eq!(found("x-api-key: kiln-deploy-token"), [(Header, "kiln-deploy-token")]);
        assert_eq!(
            found(r#"{"log":"DB_PASSWORD=w4rm-cl4y.\nok"}"#),
            [(Setting, "w4rm-cl4y")],
            "an escape closes nothing"
        );
        assert_eq!(found("postgres://kiln:w4rm-cl4y@db/kiln"), [(UrlPassword, "w4rm-cl4y")]);
        assert_eq!(found("export DB_PASSWORD=w4rm-cl4y\nPORT=8080"), [(Setting, "w4rm-cl4y")]);
        assert_eq!(found("with DB_PASSWORD=w4rm-cl4y, as ever"), [(Setting, "w4rm-cl4y")]);
        assert_eq!(found("  password: \"w4rm-cl4y\""), [(Setting, "w4rm-cl4y")]);
        assert_eq!(found("password: \"w4rm-cl4y!!\"."), [(Setting, "w4rm-cl4y!!")], "signs within quotes are its own");
        assert_eq!(found(r#"{"body":"{\"api_key\":\"w4rm-cl4y\"}"}"#), [(Setting, "w4rm-cl4y")]);
        assert_eq!(found("mara.k@kiln.museum wrote"), [(Email, "mara.k@kiln.museum")]);
        assert_eq!(found("/home/mara/kiln and C:\\Users\\Mara\\x"), [(HomePath, "mara"), (HomePath, "Mara")]);
        assert_eq!(found("/Users/窯守/kiln"), [(HomePath, "窯守")]);
        assert_eq!(found("~/.claude/projects/-Users-mara-kiln/1.jsonl"), [(HomePath, "mara")]);
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----";
        assert_eq!(found(pem), [(PrivateKey, "\nMIIEowIBAAKCAQEA\n")]);
        let jwt = concat!("ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl");
        assert_eq!(found(jwt), [(WebToken, jwt)]);
    }

    #[test]
    fn what_only_looks_like_one_is_left() {
        for text in [
            "api_key = load_key()",
            "PASSWORD=$DB_PASSWORD",
            "API_KEY=your-api-key-here",
            "max_tokens: \"128000\"",
            "git@github.com:x/y.git",
            "someone@example.com",
            "/home/user/x",
            "the bearer of news",
            "the basic implementation, basic authentication. Basic Understanding/of.headers",
            "bearer authentication",
            "def token(self): return self.tokens.next()",
            "task-force sk-1",
            "sk-learn-based-estimators",
            "https://host:8080/path",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}

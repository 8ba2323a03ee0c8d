//! From the base address of a configuration to the one that is asked.

use super::config::{Api, LlmConfig};

/// A base address in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base<'a> {
    /// `http` or `https`.
    pub(super) scheme: &'static str,
    /// Host and port, with a user where somebody wrote one.
    pub(super) authority: &'a str,
    /// The path without slashes at its end.
    path: &'a str,
    /// The query with its question mark, or nothing.
    query: &'a str,
}

impl<'a> Base<'a> {
    /// The parts; `None` when it is no http or https address.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.trim().split_once("://")?;
        let scheme = ["https", "http"].into_iter().find(|known| scheme.eq_ignore_ascii_case(known))?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let path = path.trim_end_matches('/');
        (!authority.is_empty()).then_some(Self { scheme, authority, path, query })
    }

    /// Where a protocol is served. Without a path, `/v1` is added; an address that is the whole one stays.
    pub(super) fn endpoint(&self, api: Api) -> String {
        let Self { scheme, authority, path, query } = self;
        // `/responses` is the beginning of the address of its compaction.
        let whole = [api.path(), if api == Api::ResponsesCompact { Api::Responses.path() } else { api.path() }];
        let known = whole.into_iter().find_map(|end| path.strip_suffix(end));
        let path = known.unwrap_or(path);
        let version = if path.is_empty() && known.is_none() { "/v1" } else { "" };
        format!("{scheme}://{authority}{path}{version}{}{query}", api.path())
    }
}

impl LlmConfig {
    /// Whether it is served by the maker of the protocol, over TLS.
    pub(super) fn is_home(&self) -> bool {
        let Some((home, _)) = self.api.home() else { return false };
        let host = |text| Base::parse(text).filter(|base| base.scheme == "https").map(|base| base.authority);
        let plain = |authority: &str| authority.strip_suffix(":443").unwrap_or(authority).to_ascii_lowercase();
        let own = self.base_url.as_deref().unwrap_or(home);
        host(own).map(plain) == host(home).map(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_may_have_a_version_a_slash_a_query_or_be_the_whole_address() {
        let chat = |base: &str| Base::parse(base).map(|base| base.endpoint(Api::Chat));
        let local = Some("http://localhost:8080/v1/chat/completions".to_owned());
        for base in [
            "http://localhost:8080",
            "http://localhost:8080/",
            " HTTP://localhost:8080/v1 ",
            "http://localhost:8080/v1/",
            "http://localhost:8080/v1//",
            "http://localhost:8080/v1/chat/completions",
            "http://localhost:8080/v1/chat/completions/",
            "http://localhost:8080/v1#top",
        ] {
            assert_eq!(chat(base), local, "{base}");
        }
        let with = |base: &str, expected: &str| assert_eq!(chat(base).as_deref(), Some(expected), "{base}");
        with("https://router.test/api/v1", "https://router.test/api/v1/chat/completions");
        with(
            "https://x.test/openai/deployments/d?api-version=1",
            "https://x.test/openai/deployments/d/chat/completions?api-version=1",
        );
        with("https://x.test/chat/completions", "https://x.test/chat/completions");
        with("http://[::1]:11434", "http://[::1]:11434/v1/chat/completions");
        for wrong in ["localhost:8080", "ftp://x/v1", "http://", "https:///v1", ""] {
            assert_eq!(chat(wrong), None, "{wrong}");
        }
        let compact = |base: &str| Base::parse(base).unwrap().endpoint(Api::ResponsesCompact);
        assert_eq!(compact("https://x.test/v1/responses"), "https://x.test/v1/responses/compact");
        assert_eq!(compact("https://x.test/v1/responses/compact"), "https://x.test/v1/responses/compact");
    }

    #[test]
    fn the_makers_address_is_known_by_its_host() {
        let home = |base: Option<&str>| {
            LlmConfig { base_url: base.map(str::to_owned), ..LlmConfig::new(Api::Chat, "m") }.is_home()
        };
        for own in [
            None,
            Some("https://api.openai.com"),
            Some("https://API.openai.com:443/v1/"),
            Some("https://api.openai.com/v1"),
        ] {
            assert!(home(own), "{own:?}");
        }
        for other in [
            "http://api.openai.com/v1",
            "https://api.openai.com.example.test/v1",
            "https://api.openai.com@x.test/v1",
            "http://localhost",
        ] {
            assert!(!home(Some(other)), "{other}");
        }
    }
}

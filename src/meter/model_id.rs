//! Ids of models, in one spelling: the same model has other ids at its maker's, at clouds and at gateways.

/// The id in the form of its maker: in lower case, without who serves it before it (`anthropic/`, `us.anthropic.`) and
/// without a cloud's version behind it (`-v1:0`). Claude's versions have dashes there, where gateways have dots.
pub(super) fn canonical(model: &str) -> String {
    let id = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    // A cloud's id is `region.maker.model`; other ids have no letters before a dot.
    let Some(at) = id.find("claude").filter(|&at| at == 0 || id[..at].ends_with('.')) else { return id };
    without_version(&id[at..]).replace('.', "-")
}

/// Without `-v1` or `-v1:0` at the end.
fn without_version(id: &str) -> &str {
    let Some((model, version)) = id.rsplit_once("-v") else { return id };
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if is_version { model } else { id }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn a_model_has_one_id_wherever_it_is_served() {
        for id in [
            "claude-opus-4-5",
            "claude-opus-4.5",
            "Claude-Opus-4.5",
            "anthropic/claude-opus-4.5",
            "us.anthropic.claude-opus-4-5-v1:0",
            "bedrock/anthropic.claude-opus-4-5-v1",
        ] {
            assert_eq!(canonical(id), "claude-opus-4-5", "{id}");
        }
        for (id, same) in [
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
            ("anthropic/claude-sonnet-4.5:beta", "claude-sonnet-4-5:beta"),
            ("claude-opus-4-5@20251101", "claude-opus-4-5@20251101"),
            ("openai/gpt-5.4", "gpt-5.4"),
            ("deepseek/DeepSeek-V4.1-flash", "deepseek-v4.1-flash"),
            ("not-claude-4.5", "not-claude-4.5"),
            ("", ""),
        ] {
            assert_eq!(canonical(id), same);
        }
    }
}

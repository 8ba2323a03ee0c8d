//! What a request shares with the one before: the part that a provider's cache can serve again.

use super::{CountCache, Item};
use crate::tokens::IMAGE_TOKENS;
use crate::transcript::{Message, Part, Role, Tokens, sent_parts};

/// The request before.
#[derive(Clone, Debug)]
pub(super) enum Earlier {
    /// There was none.
    None,
    /// It was the first so many items of the context, and they are unchanged.
    Leading(usize),
    /// The context has changed since, behind the first so many items; these items were sent after them.
    Apart(usize, Vec<Item>),
}

/// Who speaks, to a provider: summaries, shell commands and texts of extensions go out as the person's.
fn wire_role(message: &Message) -> Role {
    match message.role() {
        role @ (Role::Assistant | Role::ToolResult | Role::System) => role,
        _ => Role::User,
    }
}

fn parts(message: &Message) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    sent_parts(message, |part| parts.push(part));
    parts
}

/// Tokens that two messages share from the start, and whether they are the same to a provider. Counted part by part, as
/// messages are.
pub(super) fn common(counts: &CountCache, a: &Message, b: &Message) -> (Tokens, bool) {
    if wire_role(a) != wire_role(b) {
        return (Tokens(0), false);
    }
    let (a, b) = (parts(a), parts(b));
    let mut shared = Tokens(0);
    for (a, b) in a.iter().zip(&b) {
        match (a, b) {
            (Part::Text(a), Part::Text(b)) if a == b => shared = shared + counts.count(a),
            (Part::Image(a), Part::Image(b)) if a == b => shared = shared + IMAGE_TOKENS,
            (Part::Text(a), Part::Text(b)) => return (shared + counts.common_prefix(a, b), false),
            _ => return (shared, false),
        }
    }
    (shared, a.len() == b.len())
}

#[cfg(test)]
mod tests {
    use super::common;
    use crate::replay::CountCache;
    use crate::tokens::Reference;
    use crate::transcript::{Block, Content, Image, Message, System, Text, Tokens};

    fn user(texts: &[&str], image: bool) -> Message {
        let mut blocks: Vec<Block> = texts.iter().map(|&text| Block::Text(Text::from(text))).collect();
        if image {
            blocks.push(Block::Image(Image { data: "aGk=".into(), media_type: "image/png".into() }));
        }
        Message::User(Content { blocks, plain: false })
    }

    #[test]
    fn messages_share_whole_parts_and_the_start_of_the_next() {
        let counts = CountCache::new(Reference::Cl100kBase);
        let shared = |a: &Message, b: &Message| common(&counts, a, b);
        // "tiktoken is great!" is t ik token ␣is ␣great ! in cl100k_base; "tiktoken is good" shares the first four.
        let great = user(&["tiktoken is great!", "tiktoken is great!"], true);
        assert_eq!(shared(&great, &great), (Tokens(6 + 6 + 1_200), true));
        assert_eq!(shared(&great, &user(&["tiktoken is great!", "tiktoken is good"], true)), (Tokens(6 + 4), false));
        assert_eq!(shared(&great, &user(&["tiktoken is great!"], false)), (Tokens(6), false));
        // A summary goes out as the person's, with words around it.
        let summary = Message::CompactionSummary(Text::from("tiktoken is great!"));
        assert_eq!(shared(&great, &summary), (Tokens(0), false));
        let system = System { content: "tiktoken is great!".into(), sections: vec![], tools_added: None };
        let system = Message::System(Box::new(system));
        assert_eq!(shared(&great, &system), (Tokens(0), false));
    }
}

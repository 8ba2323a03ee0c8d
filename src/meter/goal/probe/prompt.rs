//! The words of a question. The context comes first and the question last, so that a prompt cache serves all questions of a cut.

use std::fmt::Write;

use super::bank::Question;

/// What the reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// The whole history up to the cut.
    Full,
    /// The context after the cut.
    View,
    /// Nothing of the session but its system prompt.
    Empty,
    /// The context after the cut, and what one search of the dropped part finds.
    Search,
}

impl Condition {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Full, Self::View, Self::Empty, Self::Search];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::View => "view",
            Self::Empty => "empty",
            Self::Search => "search",
        }
    }
}

/// The question about a context; `found` is what a search found.
pub fn probe_prompt(context: &str, found: Option<&str>, question: &Question) -> String {
    let mut prompt = about(context);
    if let Some(found) = found {
        let found = if found.is_empty() { "(nothing was found)" } else { found };
        let _ = write!(prompt, "<search-result>\n{found}\n</search-result>\n\n");
    }
    let _ = write!(
        prompt,
        "<question>\n{}\n</question>\n\nAnswer from what stands above alone. Reply with one line of at most 30 words:\n\
         ANSWER: the answer\nFor options, give the letter alone. If what stands above does not tell, reply:\nANSWER: NOT KNOWN\n",
        question.text
    );
    prompt
}

/// Asks for the words of one search of the dropped part.
pub fn query_prompt(context: &str, question: &Question) -> String {
    format!(
        "{}<question>\n{}\n</question>\n\nBefore you answer, you may search once in the part of the session that is no \
         longer above. Reply with one line:\nQUERY: the words to look for\n",
        about(context),
        question.text
    )
}

/// The words of a search in a reply: what follows `QUERY:`, or its last line.
pub fn query_of(reply: &str) -> String {
    let lines = || reply.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let marked = lines().find_map(|line| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        line.get(..6).filter(|head| head.eq_ignore_ascii_case("query:")).map(|head| &line[head.len()..])
    });
    marked.or_else(|| lines().next()).unwrap_or_default().trim_matches([' ', '*', '`']).chars().take(200).collect()
}

/// Asks for the next tool call, where the tools are offered through the protocol.
pub fn action_prompt(context: &str) -> String {
    format!(
        "{}Which tool does the agent call next, and with what? Make that call. Nobody runs it: the call is your answer.\n",
        about(context)
    )
}

/// The same where a server takes no tools: they are lines of the prompt, and the call is text.
pub fn action_prompt_in_words(context: &str, tools: &str) -> String {
    format!(
        "{}<tools>\n{tools}</tools>\n\nWhich tool does the agent call next, and with what? Reply with one JSON object and \
         nothing else:\n{{\"tool\": \"its name\", \"arguments\": {{}}}}\n",
        about(context)
    )
}

/// Bytes at the beginning of every question about a context that all of them share.
pub fn shared_bytes(context: &str) -> usize {
    about(context).len()
}

fn about(context: &str) -> String {
    let context = if context.is_empty() { "(nothing of the session is left)" } else { context };
    format!("This is what is left of a session of a coding agent.\n\n<conversation>\n{context}\n</conversation>\n\n")
}

#[cfg(test)]
mod tests {
    use super::query_of;

    #[test]
    fn the_words_of_a_search_are_found() {
        assert_eq!(query_of("I look.\n**QUERY:** lock_timeout default"), "lock_timeout default");
        assert_eq!(query_of("query: a b\n\n"), "a b");
        assert_eq!(query_of("lock_timeout"), "lock_timeout");
        assert_eq!(query_of(""), "");
    }
}

//! A corpus without its secrets: what is replayed, asked of a model, stored and reported holds none of them.

use super::{Corpus, Session};
use crate::redact::{Redacted, redact_with};

impl Corpus {
    /// Replaces secrets, e-mail addresses and names in home paths in every session, in its name, and in the items that were annotated
    /// in it: an item is still found where its source says it. Lengths stay; exact counts of tokens differ where something was
    /// replaced.
    pub fn redact(&mut self) {
        let mut all = Redacted::default();
        self.sessions.iter_mut().for_each(|session| all.append(&of_session(session)));
        self.redacted = Some(all);
    }
}

fn of_session(session: &mut Session) -> Redacted {
    let (mut counts, mut redactor) = redact_with(&mut session.transcript);
    redactor.replace(&mut session.name);
    redactor.replace(&mut session.lineage);
    for item in &mut session.items.items {
        let spellings = item.must.iter_mut().flatten().chain(&mut item.must_not);
        [&mut item.id, &mut item.text]
            .into_iter()
            .chain(&mut item.quote)
            .chain(spellings)
            .for_each(|text| redactor.replace(text));
    }
    counts.append(redactor.counts());
    counts
}

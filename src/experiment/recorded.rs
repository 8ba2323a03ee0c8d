//! Windows by recorded model, beside the models that the sessions were recorded with.

use std::collections::BTreeSet;

use super::{Experiment, Session};

impl Experiment {
    /// What is to be told of windows that no session uses: the names, and what the sessions were recorded with.
    pub fn unused_windows(&self, sessions: &[Session]) -> Vec<String> {
        let wanted: BTreeSet<&String> = self.models.iter().flat_map(|model| model.recorded.keys()).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let entries = sessions.iter().flat_map(|session| &session.transcript.entries);
        let recorded: BTreeSet<&str> = entries.filter_map(|entry| entry.kind.model()).collect();
        let unused = wanted.into_iter().filter(|name| !recorded.contains(name.as_str()));
        unused.map(|name| told(name, &recorded)).collect()
    }
}

fn told(name: &str, recorded: &BTreeSet<&str>) -> String {
    let near = recorded.iter().map(|one| (strsim::damerau_levenshtein(name, one), one)).min();
    let hint = match near {
        None => "the sessions name no model".to_owned(),
        Some((far, one)) if far <= 3 => format!("did you mean {one:?}?"),
        Some(_) => {
            let names: Vec<String> = recorded.iter().map(|one| format!("{one:?}")).collect();
            format!("they were recorded with {}", names.join(", "))
        }
    };
    format!("no session was recorded with {name:?}, so its window is used nowhere\nhint: {hint}")
}

//! Words that hardly ever change within a session: each is kept once.

use std::collections::HashSet;
use std::sync::Arc;

use crate::transcript::Message;

/// The words so far.
#[derive(Default)]
pub(super) struct Names(HashSet<Arc<str>>);

impl Names {
    /// `name`, the same for equal ones.
    pub(super) fn shared(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        self.0.insert(new.clone());
        new
    }

    /// Shares the names of a reply: API, provider and model.
    pub(super) fn share(&mut self, message: &mut Message) {
        let Message::Assistant(_, reply) = message else { return };
        for name in [&mut reply.api, &mut reply.provider, &mut reply.model] {
            *name = self.shared(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Names;

    #[test]
    fn equal_names_are_one() {
        let mut names = Names::default();
        let (a, b, other) = (names.shared("model"), names.shared("model"), names.shared("other"));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &other));
        assert_eq!((&*b, &*other), ("model", "other"));
    }
}

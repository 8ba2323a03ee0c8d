//! Fields that hardly ever change from line to line.

use crate::import::object::Rest;
use crate::import::slot::Sink;

/// Their names. The first values go to the header, later ones are kept where they change.
const STEADY: &[&str] = &["cwd", "version", "gitBranch", "userType", "entrypoint", "slug", "permissionMode"];

/// The last values of the steady fields.
#[derive(Default)]
pub(super) struct Steady {
    /// The first values as JSON, by name.
    pub(super) first: Vec<(Box<str>, Box<str>)>,
    last: [Option<Box<str>>; STEADY.len()],
}

impl Steady {
    /// Takes the steady fields out of `rest` and keeps those that changed.
    pub(super) fn take(&mut self, rest: &mut Rest<'_>, sink: &mut Sink) {
        rest.retain(|key, raw| {
            let Some(at) = STEADY.iter().position(|name| *name == key) else { return true };
            match &mut self.last[at] {
                Some(last) if **last == *raw.text() => {}
                Some(last) => {
                    *last = raw.text().into();
                    sink.extra.add("", key, raw);
                }
                none => {
                    *none = Some(raw.text().into());
                    self.first.push((key.into(), raw.text().into()));
                }
            }
            false
        });
    }
}

//! Fields that hardly ever change from line to line.

use crate::import::slot::Sink;
use crate::transcript::json::read::Raw;

/// Their names. The first values go to the header, later ones are kept where they change.
const STEADY: [&str; 7] = ["cwd", "version", "gitBranch", "userType", "entrypoint", "slug", "permissionMode"];

/// The place of `name` among the steady fields.
pub(super) fn steady(name: &str) -> Option<usize> {
    // Most fields are told apart by their length alone, without a loop over the names.
    Some(match name {
        "cwd" => 0,
        "version" => 1,
        "gitBranch" => 2,
        "userType" => 3,
        "entrypoint" => 4,
        "slug" => 5,
        "permissionMode" => 6,
        _ => return None,
    })
}

/// The steady fields of one record, in their order there.
#[derive(Default)]
pub(super) struct SteadyFields<'a>(Vec<(usize, Raw<'a>)>);

impl<'a> SteadyFields<'a> {
    /// Keeps the field of that place. A repeated one keeps its last value.
    pub(super) fn put(&mut self, place: usize, raw: Raw<'a>) {
        match self.0.iter_mut().find(|(known, _)| *known == place) {
            Some((_, value)) => *value = raw,
            None => {
                if self.0.capacity() == 0 {
                    self.0.reserve_exact(STEADY.len());
                }
                self.0.push((place, raw));
            }
        }
    }
}

/// The last values of the steady fields.
#[derive(Default)]
pub(super) struct Steady {
    /// The first values as JSON, by name.
    pub(super) first: Vec<(Box<str>, Box<str>)>,
    last: [Option<Box<str>>; STEADY.len()],
}

impl Steady {
    /// Takes the steady fields of a record and keeps those that changed.
    pub(super) fn take(&mut self, fields: SteadyFields<'_>, sink: &mut Sink) {
        for (at, raw) in fields.0 {
            let key = STEADY[at];
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STEADY, Steady, SteadyFields, steady};
    use crate::import::slot::Sink;
    use crate::transcript::json::read::Raw;

    #[test]
    fn every_name_has_its_place() {
        assert_eq!(STEADY.map(steady), std::array::from_fn(Some));
        assert_eq!(steady("sessionId"), None);
    }

    #[test]
    fn the_first_values_come_in_their_order_and_changes_are_extras() {
        let (mut known, mut sink) = (Steady::default(), Sink::default());
        for record in [[("slug", "1"), ("cwd", "2"), ("slug", "3")], [("cwd", "2"), ("slug", "3"), ("slug", "4")]] {
            let mut fields = SteadyFields::default();
            for (name, raw) in record {
                fields.put(steady(name).unwrap(), Raw::of(raw));
            }
            known.take(fields, &mut sink);
        }
        let first: Vec<_> = known.first.iter().map(|(name, raw)| (&**name, &**raw)).collect();
        assert_eq!(first, [("slug", "3"), ("cwd", "2")]);
        assert_eq!(sink.extra.at("").collect::<Vec<_>>(), [("slug", "4")]);
    }
}

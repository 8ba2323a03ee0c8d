//! Links between records: cycles of parents, and notes that carry their own links.

use crate::import::extra::quoted;
use crate::import::object::Rest;
use crate::transcript::json::read::Raw;

/// Cuts every cycle of parents, at the entry of the cycle that comes first in the file: only there does a parent stand
/// after its child. Returns those entries and how many the cycle has.
pub(in crate::import) fn cut_cycles(parents: &mut [Option<usize>]) -> Vec<(usize, usize)> {
    let mut cut = Vec::new();
    // 0: not walked; otherwise the number of the walk, from 1, that reached the entry.
    let mut walk = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let mut at = start;
        while walk[at] == 0 {
            walk[at] = start + 1;
            match parents[at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        // Reached again by the same walk, and not because the walk ended at a root.
        if walk[at] == start + 1 && parents[at].is_some() {
            cut.extend(cut_at(parents, at));
        }
    }
    cut.sort_by_key(|&(at, _)| at);
    cut
}

/// Cuts the cycle that `on` lies on, if there is one.
fn cut_at(parents: &mut [Option<usize>], on: usize) -> Option<(usize, usize)> {
    let (mut earliest, mut length) = (on, 1);
    let mut at = parents[on]?;
    while at != on {
        earliest = earliest.min(at);
        length += 1;
        at = parents[at]?;
    }
    parents[earliest] = None;
    Some((earliest, length))
}

/// The record `raw` with another id and parent, which then stand right after its type. `None` when it is no object.
pub(super) fn relinked(raw: &str, id: &str, parent: Option<&str>) -> Option<String> {
    let mut rest = Rest::of(raw)?;
    let kind = rest.take("type");
    rest.take("id");
    rest.take("parentId");
    let parent = parent.map_or_else(|| "null".to_owned(), quoted);
    let links = [("id", quoted(id)), ("parentId", parent)];
    let head = kind.map(|kind| ("type", kind.text().to_owned())).into_iter().chain(links);
    let head = head.map(|(key, value)| format!("{}:{value}", quoted(key)));
    let tail = rest.iter().map(|(key, value)| format!("{}:{}", quoted(key), value.text()));
    let fields: Vec<String> = head.chain(tail).collect();
    Some(format!("{{{}}}", fields.join(",")))
}

/// Whether the record `raw` names this id and this parent.
pub(super) fn agrees(raw: &str, id: &str, parent: Option<&str>) -> bool {
    let Some(mut rest) = Rest::of(raw) else { return false };
    let id_raw = rest.take("id");
    let parent_raw = rest.take("parentId");
    let name = |raw: Option<Raw<'_>>| raw.and_then(|raw| serde_json::from_str::<Option<String>>(&raw).ok());
    name(id_raw) == Some(Some(id.to_owned())) && name(parent_raw) == Some(parent.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::{agrees, cut_cycles, relinked};

    #[test]
    fn a_cycle_is_cut_at_its_first_entry() {
        // 0 -> 2 -> 1 -> 0 is a cycle, 3 hangs on it, 4 is its own parent, 5 a plain root, 6 follows 5.
        let mut parents = [Some(2), Some(0), Some(1), Some(2), Some(4), None, Some(5)];
        assert_eq!(cut_cycles(&mut parents), [(0, 3), (4, 1)]);
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), None, None, Some(5)]);
    }

    #[test]
    fn a_note_takes_the_links_of_its_entry() {
        let raw = r#"{"type":"label","parentId":"x","label":"a"}"#;
        let new = r#"{"type":"label","id":"00000001","parentId":null,"label":"a"}"#;
        assert_eq!(relinked(raw, "00000001", None).as_deref(), Some(new));
        assert!(agrees(new, "00000001", None));
        assert!(!agrees(raw, "00000001", None));
    }
}

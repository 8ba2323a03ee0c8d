//! The artifact trail: which files were touched, and what was done to them, against what the summary claims.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::entity::{Kind, extract};
use super::text::{heading, stated, whole_text};
use crate::measure::Measure;
use crate::meter::{Measures, Meter, number};
use crate::replay::{CompactionEvent, Item, ReplayEvent};
use crate::transcript::{Action, Transcript, message_touches};

/// Words by which a line or a heading says that a file is changed.
const MODIFIED: [&str; 27] = [
    "modif",
    "edit",
    "creat",
    "chang",
    "writ",
    "wrote",
    "add",
    "updat",
    "fix",
    "delet",
    "remov",
    "renam",
    "refactor",
    "rewr",
    "implement",
    "replac",
    "extend",
    "new file",
    "moved",
    "patched",
    "修改",
    "新建",
    "创建",
    "更新",
    "删除",
    "写入",
    "实现",
];

/// Words by which it says that a file is only looked at.
const READ: [&str; 12] =
    ["read", "view", "inspect", "examin", "look", "review", "check", "open", "查看", "阅读", "读取", "检查"];

/// What a summary claims of each path it names; `None` where it does not say what was done.
type Claims = BTreeMap<String, Option<Action>>;

/// Scores the last summary, once the replay is over: only then is every file of the session looked at.
#[derive(Debug)]
pub struct Artifacts<'m> {
    transcript: &'m Transcript,
    root: Option<String>,
    /// Every file that dropped calls touched; a change outweighs a read.
    touched: BTreeMap<String, Action>,
    /// What the last compaction put in place of the dropped part.
    last: Vec<Item>,
}

/// How well a trail is told.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Trail {
    precision: f64,
    recall: f64,
    named: f64,
}

impl<'m> Artifacts<'m> {
    /// A meter for one replay.
    pub fn new(transcript: &'m Transcript) -> Self {
        let root =
            transcript.meta.cwd.as_deref().map(|cwd| format!("{}/", cwd.replace('\\', "/").trim_end_matches('/')));
        Self { transcript, root, touched: BTreeMap::new(), last: Vec::new() }
    }

    fn normal(&self, path: &str) -> String {
        let path = path.replace('\\', "/");
        let below = self.root.as_ref().and_then(|root| path.strip_prefix(root.as_str())).unwrap_or(&path);
        below.strip_prefix("./").unwrap_or(below).trim_end_matches('/').to_owned()
    }

    fn compaction(&mut self, event: &CompactionEvent<'_, '_>) {
        for item in &event.before[..event.plan.kept_from] {
            // Only recorded calls: a summary is no source.
            let Some(message) = item.origin().and_then(|_| item.message(self.transcript)) else { continue };
            for touch in message_touches(message) {
                let action = self.touched.entry(self.normal(&touch.path)).or_insert(touch.action);
                *action = (*action).max(touch.action);
            }
        }
        self.last = event.after.view().items()[..event.made_items].to_vec();
    }

    /// How well the last summary tells what was touched; `None` when nothing was.
    fn trail(&self) -> Option<Trail> {
        let mut claims = Claims::new();
        for message in self.last.iter().filter_map(|item| item.message(self.transcript)) {
            claimed(&stated(&whole_text(message)), &mut claims);
        }
        (!self.touched.is_empty()).then(|| self.score(&claims))
    }

    fn score(&self, claims: &Claims) -> Trail {
        let claims: Vec<(String, Option<Action>)> =
            claims.iter().map(|(path, action)| (self.normal(path), *action)).collect();
        // Two names of one file end in the same word.
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (claim, _)) in claims.iter().enumerate() {
            by_name.entry(last_part(claim)).or_default().push(at);
        }
        let (mut right, mut named, mut matched) = (0_u64, 0_u64, BTreeSet::new());
        for (path, action) in &self.touched {
            let mut alike = by_name.get(last_part(path)).into_iter().flatten().copied();
            let Some(at) = alike.find(|&at| same_file(path, &claims[at].0)) else { continue };
            named += 1;
            if claims[at].1 == Some(*action) && matched.insert(at) {
                right += 1;
            }
        }
        let said = claims.iter().filter(|(_, action)| action.is_some()).count() as u64;
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { number(part) / number(whole) };
        let all = self.touched.len() as u64;
        Trail { precision: share(right, said), recall: share(right, all), named: share(named, all) }
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether both name one file: one is the other's end, at a slash.
fn same_file(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

fn action_in(text: &str) -> Option<Action> {
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // Both, as in `read, then edited`: it was changed.
    if has(&MODIFIED) {
        return Some(Action::Modify);
    }
    has(&READ).then_some(Action::Read)
}

/// Adds what a text claims: the action of a path is that of its line, or else of the heading above.
fn claimed(text: &str, claims: &mut Claims) {
    let (mut under, mut in_tag) = (None, false);
    for line in text.lines() {
        // Inside of `<read-files>` every line is a name, also one in capitals.
        let title = heading(line).filter(|_| !in_tag || line.trim_start().starts_with('<'));
        if let Some(words) = title {
            under = action_in(words);
            in_tag = line.trim_start().starts_with('<') && !line.trim_start().starts_with("</");
        }
        let mut paths = Vec::new();
        extract(line, |found| {
            if found.kind == Kind::Path {
                paths.push(found.key.into_owned());
            }
        });
        // A bare name in a list, as Pi's file tags hold them, is a path too.
        if paths.is_empty() && under.is_some() && !line.trim().contains(' ') && line.trim().len() > 1 && title.is_none()
        {
            paths.push(line.trim().to_owned());
        }
        // The words beside the paths, not those inside: `src/reader.rs` is not a read.
        let mut beside = line.to_owned();
        for path in &paths {
            beside = beside.replace(path.as_str(), " ");
        }
        let action = action_in(&beside).or(under);
        for path in paths {
            let claim = claims.entry(path).or_insert(action);
            *claim = (*claim).max(action);
        }
    }
}

impl Meter for Artifacts<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        if let ReplayEvent::Compaction(compaction) = event {
            self.compaction(compaction);
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let trail = self.trail();
        let of = |pick: fn(Trail) -> f64| {
            let none = || Measure::void("no dropped call touched a file");
            trail.map_or_else(none, |trail| Measure::from(pick(trail)))
        };
        let f1 = |trail: Trail| {
            let sum = trail.precision + trail.recall;
            if sum > 0.0 { 2.0 * trail.precision * trail.recall / sum } else { 0.0 }
        };
        vec![
            ("artifact_f1", of(f1)),
            ("artifact_precision", of(|trail| trail.precision)),
            ("artifact_recall", of(|trail| trail.recall)),
            ("artifact_named_ratio", of(|trail| trail.named)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Claims, claimed, same_file};

    #[test]
    fn a_path_is_claimed_by_its_line_or_its_heading() {
        let mut claims = Claims::new();
        let text = "Edited src/a.rs and src/b.rs.\n- looked at src/reader.rs\n- src/c.rs\n\n<read-files>\nREADME\nsrc/a.rs\n</read-files>\n## Next";
        claimed(text, &mut claims);
        let expected = [
            ("README", Some(Action::Read)),
            ("src/a.rs", Some(Action::Modify)),
            ("src/b.rs", Some(Action::Modify)),
            ("src/c.rs", None),
            ("src/reader.rs", Some(Action::Read)),
        ];
        assert_eq!(claims.into_iter().collect::<Vec<_>>(), expected.map(|(path, action)| (path.to_owned(), action)));
    }

    #[test]
    fn a_name_is_the_end_of_a_path_at_a_slash() {
        assert!(same_file("src/a.rs", "a.rs") && same_file("a.rs", "/x/src/a.rs"));
        assert!(!same_file("src/ba.rs", "a.rs"));
    }
}

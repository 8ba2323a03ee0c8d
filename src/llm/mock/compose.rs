//! From facts to a summary under the headings that were asked for.

use super::MockKnobs;
use super::ask::{Ask, Asked, heading_title};
use super::conversation::Part;
use super::extract::{Facts, Line};
use super::limit::Section;
use super::signals::unmarked;
use super::topic::Topic;

/// Writes the sections. `seed` decides what is lost.
pub(super) fn sections<'p>(ask: &Ask<'p>, parts: &[Part<'p>], knobs: &MockKnobs, seed: u64) -> Vec<Section<'p>> {
    // Without headings, whatever is known goes under none.
    let only = [Asked { print: "", topic: Topic::Overview, holds_others: false }];
    let headings = if ask.headings.is_empty() { &only[..] } else { &ask.headings };
    let mut older = ask.previous.map(|previous| older_items(previous, false, headings));
    let mut omit = None;
    // A system without update prompts shows its older summary as one of the first messages.
    if older.is_none()
        && let Some((index, part)) = parts.iter().enumerate().take(3).find(|(_, part)| is_summary(part, headings))
    {
        older = Some(older_items(part.text, part.escaped, headings));
        omit = Some(index);
    }
    let older = older.unwrap_or_default();
    let facts = Facts::read(parts, omit);
    let present: Vec<Topic> = headings.iter().filter(|asked| !asked.holds_others).map(|asked| asked.topic).collect();
    let writer = Writer { facts: &facts, older: &older, present: &present, knobs, seed };
    headings.iter().enumerate().map(|(index, asked)| writer.section(index, asked)).collect()
}

/// Whether a message holds an older summary: two of the headings, each on a line of its own.
fn is_summary(part: &Part<'_>, headings: &[Asked<'_>]) -> bool {
    let asked = |line: &str| headings.iter().any(|asked| asked.print == line);
    headings.len() > 1 && part.text.lines().map(str::trim).filter(|line| asked(line)).take(2).count() == 2
}

/// An item of an older summary, and the heading that it goes under.
#[derive(Debug)]
struct Older<'p> {
    heading: usize,
    /// What its own heading was about.
    topic: Topic,
    line: Line<'p>,
}

fn older_items<'p>(previous: &'p str, escaped: bool, headings: &[Asked<'_>]) -> Vec<Older<'p>> {
    let place = |line: &str, topic: Topic| {
        let of = |wanted: Topic| headings.iter().position(|asked| !asked.holds_others && asked.topic == wanted);
        let same = headings.iter().position(|asked| asked.print == line);
        same.or_else(|| of(topic)).or_else(|| of(Topic::Facts)).or_else(|| of(Topic::Overview)).unwrap_or(0)
    };
    let mut out = Vec::new();
    let (mut heading, mut topic) = (place("", Topic::Overview), Topic::Overview);
    let (mut headed, mut listing) = (false, false);
    for line in previous.lines().map(str::trim) {
        if let Some(title) = heading_title(line).filter(|_| !is_none(line)) {
            if !headed {
                // Words before the first heading lead into the summary.
                out.clear();
                headed = true;
            }
            topic = Topic::of(title, None);
            heading = place(line, topic);
        } else if line.starts_with("<read-files>") || line.starts_with("<modified-files>") {
            // Pi appends these lists itself, to every summary.
            listing = true;
        } else if line.starts_with("</") {
            listing = false;
        } else if !listing && !line.is_empty() && line != "---" && !is_none(unmarked(line)) {
            out.push(Older { heading, topic, line: Line::new(unmarked(line), escaped) });
        }
    }
    // What was under way then is done by now.
    if let Some(done) = headings.iter().position(|asked| asked.topic == Topic::Done) {
        for item in out.iter_mut().filter(|item| item.topic == Topic::InProgress) {
            item.heading = done;
        }
    }
    out
}

fn is_none(text: &str) -> bool {
    text.trim_matches(['(', ')', '.']).eq_ignore_ascii_case("none")
}

struct Writer<'w, 'p> {
    facts: &'w Facts<'p>,
    older: &'w [Older<'p>],
    present: &'w [Topic],
    knobs: &'w MockKnobs,
    seed: u64,
}

impl<'p> Writer<'_, 'p> {
    fn section(&self, index: usize, asked: &Asked<'p>) -> Section<'p> {
        if asked.holds_others {
            return Section { print: asked.print, bullet: "", lines: Vec::new(), holds_others: true };
        }
        let topics = asked.topic.facts(self.present);
        let room = topics.iter().map(|topic| self.room(*topic)).sum::<usize>();
        let mut fresh = Vec::new();
        for &topic in &topics {
            for line in self.fresh(topic) {
                push_new(&mut fresh, line);
            }
        }
        let keep = |item: &&Older<'_>| item.heading == index && (item.topic != Topic::Next || fresh.is_empty());
        let older = self.older.iter().filter(keep).map(|item| item.line.render()).collect::<Vec<_>>();
        let mut lines = Vec::new();
        for line in ends(older, room).into_iter().chain(fresh) {
            if self.remembers(&line) {
                push_new(&mut lines, line);
            }
        }
        let bullet = match asked.topic {
            Topic::Done => "- [x] ",
            Topic::InProgress => "- [ ] ",
            _ => "- ",
        };
        // What is old and what is new share half as much room again.
        Section { print: asked.print, bullet, lines: ends(lines, room + room / 2), holds_others: false }
    }

    fn fresh(&self, topic: Topic) -> Vec<String> {
        let (room, files) = (self.room(topic), &self.facts.files);
        match topic {
            Topic::Artifacts => {
                ends(files.iter().map(|(path, did)| format!("{path} ({})", did.words())).collect(), room)
            }
            Topic::Done if !self.present.contains(&Topic::Artifacts) => {
                let changed = files.iter().filter(|(_, did)| did.changed());
                let mut lines = ends(changed.map(|(path, did)| format!("{path} ({})", did.words())).collect(), room);
                lines.extend(pick(self.facts.of(topic), room, false));
                lines
            }
            topic => pick(self.facts.of(topic), room, topic.is_latest()),
        }
    }

    /// Lines that a topic may have.
    fn room(&self, topic: Topic) -> usize {
        // At most 24 lines times 100: no loss in either direction.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2,400")]
        let room = (topic.lines() * self.knobs.verbosity).ceil() as usize;
        room
    }

    fn remembers(&self, line: &str) -> bool {
        // The upper 53 bits make a number from 0 to 1, exactly.
        #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
        let share = (super::hash(self.seed, line.as_bytes()) >> 11) as f64 / (1_u64 << 53) as f64;
        share >= self.knobs.loss_rate
    }
}

fn push_new(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}

/// The lines from both ends of a list that is too long: beginnings say what is wanted, ends how things stand.
fn ends(mut lines: Vec<String>, room: usize) -> Vec<String> {
    if lines.len() > room {
        let tail = room - room / 2;
        lines.drain(room / 2..lines.len() - tail);
    }
    lines
}

/// The same for statements, of which repeated ones count once; only the end, where the latest is what counts.
fn pick(statements: &[Line<'_>], room: usize, latest: bool) -> Vec<String> {
    let mut head: Vec<String> = Vec::new();
    let mut from = 0;
    let front = if latest { 0 } else { room / 2 };
    while head.len() < front && from < statements.len() {
        push_new(&mut head, statements[from].render());
        from += 1;
    }
    let mut tail: Vec<String> = Vec::new();
    for line in statements[from..].iter().rev() {
        if head.len() + tail.len() == room {
            break;
        }
        let line = line.render();
        if !head.contains(&line) {
            push_new(&mut tail, line);
        }
    }
    tail.reverse();
    head.extend(tail);
    head
}

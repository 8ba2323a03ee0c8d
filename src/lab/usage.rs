//! Which recorded usage can be believed.

use crate::transcript::{EntryIdx, EntryKind, Message, Reply, Tokens, Transcript, Usage};

/// Whether the usage of a reply says how large its request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It does.
    Usable,
    /// None was recorded.
    Missing,
    /// The request failed or was stopped: what was counted until then is not the request.
    Failed,
    /// All counts are zero.
    Zero,
    /// The agent wrote the reply itself (Claude Code names the model `<synthetic>`).
    Synthetic,
    /// The same counts as the reply before, though something was sent in between: one response was recorded in parts.
    Duplicate,
    /// It is of the request that wrote a summary, whose prompt is not the context.
    Summary,
}

impl Verdict {
    /// All, in the order of reports.
    pub const ALL: [Self; 7] =
        [Self::Usable, Self::Missing, Self::Failed, Self::Zero, Self::Synthetic, Self::Duplicate, Self::Summary];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usable => "usable",
            Self::Missing => "missing",
            Self::Failed => "failed",
            Self::Zero => "zero",
            Self::Synthetic => "synthetic",
            Self::Duplicate => "duplicate",
            Self::Summary => "summary",
        }
    }

    /// The verdict on a reply, given the usage of the reply before it.
    pub fn of(reply: &Reply, before: Option<&Usage>) -> Self {
        if Reply::is_the_agent(&reply.model) {
            return Self::Synthetic;
        }
        let Some(usage) = &reply.usage else { return Self::Missing };
        match () {
            () if reply.failed() => Self::Failed,
            () if usage.prompt() == Tokens(0) => Self::Zero,
            () if before.is_some_and(|before| same(before, usage)) => Self::Duplicate,
            () => Self::Usable,
        }
    }
}

fn same(a: &Usage, b: &Usage) -> bool {
    (a.input, a.output, a.cache_read, a.cache_write) == (b.input, b.output, b.cache_read, b.cache_write)
}

/// Tokens by which the context fell between two requests of one model: prompt and whole are smaller, so that neither a long answer
/// nor thinking that is not sent again explains it. 0 where it did not.
pub(super) fn fall(before: &Usage, after: &Usage) -> Tokens {
    if after.prompt() < before.prompt() { before.context().saturating_sub(after.context()) } else { Tokens(0) }
}

/// What was recorded for one request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruthRow {
    /// The reply, or the compaction whose summary was asked for.
    pub entry: EntryIdx,
    /// It is on the current path, not on a branch that was left.
    pub on_path: bool,
    /// Recorded usage; zero where nothing was recorded, which the verdict says.
    pub usage: Usage,
    /// Whether it can be believed.
    pub verdict: Verdict,
    /// Tokens by which the context is smaller than at the usable usage before, though the model is the same and nothing that is recorded
    /// took anything out of it; 0 where it is not. Usage that fell is taken as it was recorded: agents also drop reasoning or old results
    /// without a record of it.
    pub fell: Tokens,
}

/// The truth table of a session: every request of the file, those of branches and of summaries too, with what was recorded.
pub fn truth_rows(transcript: &Transcript, path: &[EntryIdx]) -> Vec<TruthRow> {
    let mut on_path = vec![false; transcript.entries.len()];
    for idx in path {
        on_path[idx.0] = true;
    }
    let mut newest: Vec<Newest<'_>> = Vec::with_capacity(on_path.len());
    let mut rows = Vec::new();
    for (index, entry) in transcript.entries.iter().enumerate() {
        let before = entry.parent.and_then(|parent| newest.get(parent.0).copied()).unwrap_or_default();
        let row =
            |usage, verdict, fell| TruthRow { entry: EntryIdx(index), on_path: on_path[index], usage, verdict, fell };
        newest.push(match &entry.kind {
            EntryKind::Message(Message::Assistant(_, reply)) => {
                let verdict = Verdict::of(reply, before.usage.as_ref());
                let after = before.then(reply, verdict);
                rows.push(row(reply.usage.unwrap_or_default(), verdict, before.fall_to(after)));
                after
            }
            EntryKind::Compaction(compaction) => {
                rows.extend(compaction.usage.map(|usage| row(usage, Verdict::Summary, Tokens(0))));
                Newest::default()
            }
            EntryKind::ContextEdit(_) | EntryKind::BranchSummary(_) => Newest { known: None, ..before },
            _ => before,
        });
    }
    rows
}

/// What is known at an entry of the replies before it, along its own branch.
#[derive(Clone, Copy, Default)]
struct Newest<'t> {
    /// The usage of the newest reply.
    usage: Option<Usage>,
    /// The newest usable one since something was taken out, and the model that it is of.
    known: Option<(Usage, &'t str)>,
}

impl<'t> Newest<'t> {
    fn then(self, reply: &'t Reply, verdict: Verdict) -> Self {
        let usable = reply.usage.filter(|_| verdict == Verdict::Usable);
        Self { usage: reply.usage, known: usable.map(|usage| (usage, &*reply.model)).or(self.known) }
    }

    /// How far the context fell, where both are of one model.
    fn fall_to(self, after: Self) -> Tokens {
        match (self.known, after.known) {
            (Some((before, by)), Some((now, model))) if by == model => fall(&before, &now),
            _ => Tokens(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Usage, Verdict};
    use crate::transcript::{Reply, StopReason};

    fn reply(model: &str, stop: StopReason, usage: Option<Usage>) -> Reply {
        Reply { api: "".into(), provider: "".into(), model: model.into(), stop, usage, error: None }
    }

    #[test]
    fn usage_that_says_nothing_is_left_out_with_its_reason() {
        let usage = Usage { input: 7, output: 3, cache_read: 900, ..Usage::default() };
        let of = |reply: &Reply| Verdict::of(reply, None);
        assert_eq!(of(&reply("m", StopReason::Stop, Some(usage))), Verdict::Usable);
        assert_eq!(of(&reply("m", StopReason::Stop, None)), Verdict::Missing);
        assert_eq!(of(&reply("m", StopReason::Aborted, Some(usage))), Verdict::Failed);
        assert_eq!(of(&reply("m", StopReason::Stop, Some(Usage::default()))), Verdict::Zero);
        assert_eq!(of(&reply("<synthetic>", StopReason::Stop, Some(Usage::default()))), Verdict::Synthetic);
        assert_eq!(of(&reply("<synthetic>", StopReason::Error, None)), Verdict::Synthetic);
        assert_eq!(of(&reply("gateway-injected", StopReason::Stop, Some(Usage::default()))), Verdict::Synthetic);
        let again = reply("m", StopReason::ToolUse, Some(usage));
        assert_eq!(Verdict::of(&again, Some(&usage)), Verdict::Duplicate);
        let more = Usage { output: 4, ..usage };
        assert_eq!(Verdict::of(&again, Some(&more)), Verdict::Usable);
    }
}

//! What the report tells about one transcript, and where: in the page, or, beyond the page's budget, in one of its own.

use std::collections::{BTreeMap, HashMap};

use super::{Cell, CellJudgements, ContextPanel, ItemTable};
use crate::results::{
    ActionRecord, AnnotationRecord, AnswerRecord, ExamRecord, MessageRecord, ProbeRecord, Run, TranscriptRecord,
};

/// Bytes of detail that the page holds at most; the rest goes to sibling pages. The page itself stays below 5 MB.
pub const DETAIL_BUDGET: usize = 3_000_000;

/// Questions, calls and items without a question that are shown of a cell.
pub(in crate::report) const EXAM_ROWS: usize = 200;

/// Everything about one transcript.
#[derive(Clone, Debug)]
pub struct TranscriptDetail<'run> {
    /// Its name.
    pub name: &'run str,
    /// Its record; `None` when the manifest does not name it.
    pub record: Option<&'run TranscriptRecord>,
    /// Its messages, in the order of the path.
    pub messages: &'run [MessageRecord],
    /// Its annotated items.
    pub annotations: &'run [AnnotationRecord],
    /// Indices of its cells in [`super::ReportModel::cells`].
    pub cells: Vec<usize>,
    /// Indices of its panels in [`super::ReportModel::contexts`].
    pub contexts: Vec<usize>,
    /// Indices of its tables in [`super::ReportModel::items`].
    pub items: Vec<usize>,
    /// The name of the sibling page that holds it; `None` when it lies in the page itself.
    pub page: Option<String>,
    /// By line of the file, the place in `messages`.
    places: HashMap<u64, usize>,
}

impl TranscriptDetail<'_> {
    /// The message at this line of the file, if it is known.
    pub fn message(&self, line: u64) -> Option<&MessageRecord> {
        self.place(line).map(|at| &self.messages[at])
    }

    /// The place of that message among the messages.
    pub(in crate::report) fn place(&self, line: u64) -> Option<usize> {
        self.places.get(&line).copied()
    }
}

/// Which transcript each cell belongs to, and all that belongs to it.
pub(super) fn details<'run>(
    run: &'run Run,
    cells: &[Cell<'run>],
    contexts: &[ContextPanel<'run>],
    items: &[ItemTable<'run>],
    judgements: &[CellJudgements<'run>],
) -> (Vec<TranscriptDetail<'run>>, Vec<usize>) {
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    let mut details: Vec<TranscriptDetail<'run>> = Vec::new();
    let named = run.manifest.transcripts.iter().map(|record| (record.name.as_str(), Some(record)));
    let ran = cells.iter().map(|cell| (cell.record.transcript.as_str(), None));
    for (name, record) in named.chain(ran) {
        index.entry(name).or_insert_with(|| {
            details.push(empty(name, record));
            details.len() - 1
        });
    }
    for messages in run.sources.messages.chunk_by(|left, right| left.transcript == right.transcript) {
        if let Some(&at) = index.get(messages[0].transcript.as_str()) {
            details[at].messages = messages;
            // Of two messages of one line, the first.
            details[at].places = messages.iter().enumerate().rev().map(|(at, message)| (message.line, at)).collect();
        }
    }
    for annotations in run.sources.annotations.chunk_by(|left, right| left.transcript == right.transcript) {
        if let Some(&at) = index.get(annotations[0].transcript.as_str()) {
            details[at].annotations = annotations;
        }
    }
    let of_cells: Vec<usize> = cells.iter().map(|cell| index[cell.record.transcript.as_str()]).collect();
    for (cell, &at) in of_cells.iter().enumerate() {
        details[at].cells.push(cell);
    }
    contexts.iter().enumerate().for_each(|(at, panel)| details[index[panel.transcript]].contexts.push(at));
    items.iter().enumerate().for_each(|(at, table)| details[index[table.transcript]].items.push(at));
    let about = About { cells, contexts, judgements };
    place(&mut details, &about);
    (details, of_cells)
}

fn empty<'run>(name: &'run str, record: Option<&'run TranscriptRecord>) -> TranscriptDetail<'run> {
    TranscriptDetail {
        name,
        record,
        messages: &[],
        annotations: &[],
        cells: Vec::new(),
        contexts: Vec::new(),
        items: Vec::new(),
        page: None,
        places: HashMap::new(),
    }
}

/// What lies behind a detail.
struct About<'a, 'run> {
    cells: &'a [Cell<'run>],
    contexts: &'a [ContextPanel<'run>],
    judgements: &'a [CellJudgements<'run>],
}

/// About how many bytes of HTML the questions and answers of a cell take.
fn exam_size(exam: &ExamRecord) -> usize {
    let answer = |answer: &AnswerRecord| answer.answer.len() + 100;
    let probe = |probe: &ProbeRecord| {
        let expected = probe.expected.as_ref().map_or(0, String::len);
        probe.question.len() + expected + 450 + probe.answers.iter().map(answer).sum::<usize>()
    };
    let action = |action: &ActionRecord| {
        let named = action.named.as_ref().map_or(0, String::len);
        action.recorded.iter().map(String::len).sum::<usize>() + named + 600
    };
    let probes: usize = exam.probes.iter().take(EXAM_ROWS).map(probe).sum();
    let actions: usize = exam.actions.iter().take(EXAM_ROWS).map(action).sum();
    let left_out = exam.left_out.iter().take(EXAM_ROWS);
    probes + actions + left_out.map(|one| one.item.len() + one.reason.len() + 40).sum::<usize>() + 1_500
}

/// Decides by estimated size, in order, so that equal runs are placed alike: details stay in the page until one does
/// not fit, and from there on every one has a page of its own.
fn place(details: &mut [TranscriptDetail<'_>], about: &About<'_, '_>) {
    let mut left = DETAIL_BUDGET;
    let mut is_full = false;
    let count = details.len();
    for (index, detail) in details.iter_mut().enumerate() {
        let size = size(detail, about);
        is_full |= size > left;
        if is_full {
            let digits = count.to_string().len();
            detail.page = Some(format!("transcript-{:0digits$}.html", index + 1));
        } else {
            left -= size;
        }
    }
}

/// About how many bytes of HTML it takes; measured on the default experiment.
fn size(detail: &TranscriptDetail<'_>, about: &About<'_, '_>) -> usize {
    use crate::results::EventRecord::Compaction;
    let About { cells, contexts, judgements } = about;
    let messages: usize = detail.messages.iter().map(|message| message.text.len() + 250).sum();
    let lines: usize =
        detail.contexts.iter().map(|&at| contexts[at].lines.iter().map(|l| l.points.len()).sum::<usize>()).sum();
    let compaction = |one: &crate::results::CompactionRecord| {
        one.summary.as_ref().map_or(0, String::len) + one.fates.len() * 260 + one.dropped_lines.len() * 170 + 2_500
    };
    let events = detail.cells.iter().flat_map(|&at| &cells[at].events);
    let compactions: usize = events
        .map(|event| match event {
            Compaction(one) => compaction(one),
            _ => 0,
        })
        .sum();
    let requests = |one: &&&crate::results::EventRecord| matches!(one, crate::results::EventRecord::Request(request) if request.cache.is_some());
    let served: usize = detail.cells.iter().map(|&at| cells[at].events.iter().filter(requests).count() * 190).sum();
    let items = detail.annotations.len() * (120 * detail.cells.len() + 500);
    let asked: usize = detail.cells.iter().filter_map(|&at| cells[at].record.exam.as_deref()).map(exam_size).sum();
    let judged: usize =
        detail.cells.iter().flat_map(|&at| &judgements[at].judged).map(|one| one.record.evidence.len() + 450).sum();
    messages + lines * 70 + served + asked + judged + compactions + items + detail.cells.len() * 900 + 4_000
}

#[cfg(test)]
mod tests {
    use super::{ActionRecord, EXAM_ROWS, ExamRecord, ProbeRecord, exam_size};
    use crate::results::LeftOutRecord;

    #[test]
    fn every_text_of_an_exam_has_its_size() {
        let long = || "x".repeat(10_000);
        let probe = |expected| ProbeRecord {
            probe: String::new(),
            kind: String::new(),
            item: None,
            question: String::new(),
            expected,
            kept: true,
            answers: Vec::new(),
        };
        let action = |named: Option<String>, recorded| ActionRecord {
            request: 1,
            line: 1,
            condition: String::new(),
            verdict: String::new(),
            recorded,
            named,
            tools: String::new(),
            offered: String::new(),
        };
        let of = |probes: Vec<ProbeRecord>, actions: Vec<ActionRecord>, left_out| {
            exam_size(&ExamRecord { left_out, probes, actions, ..ExamRecord::default() })
        };
        let left_out = |number| vec![LeftOutRecord { item: long(), reason: String::new() }; number];
        assert!(of(vec![probe(Some(long()))], vec![], vec![]) > 10_000);
        assert!(of(vec![], vec![action(Some(long()), vec![long()])], vec![]) > 20_000);
        assert!(of(vec![], vec![], left_out(1)) > 10_000);
        assert_eq!(of(vec![], vec![], left_out(EXAM_ROWS + 9)), of(vec![], vec![], left_out(EXAM_ROWS)));
    }
}

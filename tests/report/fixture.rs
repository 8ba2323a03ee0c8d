//! A run of three strategies on two transcripts, with voids, a mock, and names that attack the reader.

use std::collections::BTreeMap;

use cutpoint::results::{
    ActionRecord, AnnotationRecord, AnswerRecord, CellRecord, ClassRecord, CompactionCache, CompactionRecord,
    Direction, EventRecord, ExamRecord, ItemRecord, JudgementRecord, Manifest, Measure, MeasureDef, MessageRecord,
    ProbeRecord, RequestCache, RequestRecord, Run, RunFolder, SCHEMA, Sources, TranscriptRecord,
};

/// A name that tries HTML, an attribute, and terminal and bidirectional controls.
pub(crate) const HOSTILE: &str = "<script>alert(\"1\")</script>\u{202e}\u{1b}[31m & 'x'";
/// A name that a spreadsheet would run.
pub(crate) const FORMULA: &str = "=cmd|' /C calc'!A0";

/// Strategies: name, reads as, tokens after a compaction, goal-loss on the first transcript.
const STRATEGIES: [(&str, &str, u64, f64); 3] =
    [("pi", "pi 1.6.0", 24_000, 0.25), ("tail-only", "", 20_000, 0.625), ("none", "", 0, 0.0)];
const WINDOW: u64 = 100_000;
/// The second session goes on with a smaller model from this request on.
const SWITCH: u64 = 12;
const SMALL: u64 = 80_000;

pub(crate) fn run() -> Run {
    let mut cells = Vec::new();
    let mut events = Vec::new();
    for (index, strategy) in STRATEGIES.iter().enumerate() {
        for (transcript, requests) in [("refactor-parser", 60), (HOSTILE, 24)] {
            let id = format!("c{index}{requests:02}");
            let replayed = replay(&id, strategy.2, requests);
            cells.push(cell(&id, strategy, transcript, &replayed));
            events.extend(replayed);
        }
    }
    Run { manifest: manifest(), cells, events, sources: sources(), judgements: judgements() }
}

/// Writes the run to a folder and reads it back, as a user's report does.
pub(crate) fn through_a_folder() -> Run {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let mut out = RunFolder::create(folder.path(), &run.manifest).unwrap();
    out.write_sources(&run.sources).unwrap();
    JudgementRecord::write_all(&run.judgements, folder.path()).unwrap();
    for cell in &run.cells {
        let own: Vec<EventRecord> = run.events.iter().filter(|event| event.cell() == cell.cell).cloned().collect();
        out.push(cell, &own).unwrap();
    }
    Run::read(folder.path()).unwrap()
}

/// The context grows by 2,500 tokens a request. A strategy that keeps something compacts above 80 % of the window; one
/// that does not runs into it.
fn replay(cell: &str, kept: u64, requests: u64) -> Vec<EventRecord> {
    let mut events = Vec::new();
    let mut context = 4_000;
    for request in 1..=requests {
        if kept > 0 && context > WINDOW * 8 / 10 {
            events.push(EventRecord::Compaction(Box::new(compaction(cell, request, context, kept))));
            context = kept + 1_200;
        }
        let switched = requests == 24 && request >= SWITCH;
        if switched && request == SWITCH {
            events.push(EventRecord::Switched {
                cell: cell.to_owned(),
                request,
                model: format!("small {HOSTILE}"),
                window_tokens: SMALL,
                max_output_tokens: 4_096,
            });
        }
        let overflow = context > WINDOW;
        if overflow && request % 8 == 0 {
            events.push(EventRecord::Overflow { cell: cell.to_owned(), request, reference_tokens: context });
        }
        events.push(EventRecord::Request(RequestRecord {
            cell: cell.to_owned(),
            request,
            line: request * 2 + 1,
            messages: request * 2,
            estimate_tokens: (kept > 0).then_some(context * 9 / 10),
            reference_tokens: context,
            recorded_tokens: None,
            reused_tokens: context - context / 10,
            written_tokens: context / 10,
            window_tokens: (requests == 24).then_some(if switched { SMALL } else { WINDOW }),
            overflow,
            // The cache serves what is reused, and stores the rest but for the last 100 tokens. One strategy is not simulated.
            cache: (kept > 0).then(|| RequestCache {
                read_tokens: context - context / 10,
                write_tokens: context / 10 - 100,
                plain_tokens: 100,
                break_reason: (request == 5).then(|| "lifetime".to_owned()),
                cost_usd: Some(0.01),
                model_first_token_ms: None,
            }),
        }));
        context += 2_500;
    }
    if kept == 20_000 {
        events.push(EventRecord::Stuck {
            cell: cell.to_owned(),
            request: requests,
            checkpoint: "after_response".to_owned(),
            reason: "nothing to drop".to_owned(),
        });
        events.push(EventRecord::Edited {
            cell: cell.to_owned(),
            request: requests,
            messages: 3,
            saved_tokens: 1_500,
            invalidated_tokens: 9_000,
        });
    }
    events
}

fn compaction(cell: &str, request: u64, before: u64, kept: u64) -> CompactionRecord {
    CompactionRecord {
        cell: cell.to_owned(),
        request,
        checkpoint: "before_request".to_owned(),
        reason: format!("context above 80 % of the window of {WINDOW} tokens"),
        estimate_tokens: Some(before * 9 / 10),
        before_tokens: before,
        after_tokens: kept + 1_200,
        dropped_messages: 40,
        dropped_tokens: before - kept,
        kept_messages: 12,
        kept_tokens: kept,
        summary_tokens: if kept == 24_000 { 1_200 } else { 0 },
        summary_requests: 1,
        summary_input_tokens: before,
        summary_output_tokens: 1_150,
        invalidated_tokens: before - 3_000,
        split_turn: request == 32,
        no_gain: false,
        repaired_orphans: u64::from(kept == 20_000),
        from_hook: false,
        details: None,
        fallback: (request == 56).then(|| "the summary was empty; the old one was kept".to_owned()),
        summary: (kept == 24_000).then(|| format!("## Goal\nRewrite the parser.\n{HOSTILE}\n</pre><b>not bold</b>")),
        cache: Some(CompactionCache {
            cached_before_tokens: before,
            reusable_tokens: 2_000,
            invalidated_tokens: before - 2_000,
            rewritten_tokens: kept,
            one_time_tokens: Some(40_000.0),
            // The second one is the dearer, and never pays.
            one_time_usd: Some(if request == 32 { 0.08 } else { 0.125 }),
            saving_tokens: Some(if request == 32 { 2_500.0 } else { -1.0 }),
            break_even_requests: (request == 32).then_some(16.0),
            ..CompactionCache::default()
        }),
        dropped_lines: (2..=41).collect(),
        fates: if cell.ends_with("60") {
            fates(if kept == 24_000 { "pi" } else { "tail-only" })
        } else {
            BTreeMap::new()
        },
    }
}

fn cell(id: &str, strategy: &(&str, &str, u64, f64), transcript: &str, events: &[EventRecord]) -> CellRecord {
    let &(name, mimics, kept, loss) = strategy;
    let is_annotated = transcript != HOSTILE;
    let compactions = events.iter().filter(|event| matches!(event, EventRecord::Compaction(_))).count();
    CellRecord {
        schema: SCHEMA,
        cell: id.to_owned(),
        inputs: id.to_owned(),
        strategy: name.to_owned(),
        mimics: (!mimics.is_empty()).then(|| mimics.to_owned()),
        transcript: transcript.to_owned(),
        lineage: transcript.to_owned(),
        model: "example-large".to_owned(),
        window_tokens: WINDOW,
        history: "full".to_owned(),
        seed: 1,
        replicate: 0,
        estimator: if kept > 0 { "chars/4" } else { "none" }.to_owned(),
        summarizer: if name == "pi" { "mock" } else { "none" }.to_owned(),
        mock: name == "pi",
        reference: "o200k_base".to_owned(),
        cache: "ideal".to_owned(),
        price: Some("example-row".to_owned()),
        latency: None,
        measures: measures(kept, loss, is_annotated, u32::try_from(compactions).unwrap()),
        items: if is_annotated { items(name) } else { Vec::new() },
        items_sha256: is_annotated.then(|| "aa".repeat(32)),
        extractor: Some("entities-2".to_owned()),
        second_extractor: Some("chunks-1".to_owned()),
        future: Vec::new(),
        exam: (is_annotated && name == "pi").then(|| Box::new(exam())),
    }
}

/// One probe and one next action, with answers that attack the reader.
fn exam() -> ExamRecord {
    let answer = |condition: &str, verdict: &str, answer: &str| AnswerRecord {
        condition: condition.to_owned(),
        run: 0,
        verdict: verdict.to_owned(),
        answer: answer.to_owned(),
        query: None,
    };
    ExamRecord {
        reader: "mock".to_owned(),
        mock: true,
        bank_sha256: Some("bb".repeat(32)),
        requests_count: 5,
        input_tokens: 90_000,
        output_tokens: 60,
        probes: vec![ProbeRecord {
            probe: "goal-1".to_owned(),
            kind: "recall".to_owned(),
            item: Some("goal-1".to_owned()),
            question: format!("What stands in the gap?\nStatement: {HOSTILE} is ____."),
            expected: Some(format!("the parser or {HOSTILE}")),
            kept: true,
            answers: vec![
                answer("full", "right", "the parser"),
                answer("full", "right", "the parser"),
                answer("full", "unparsed", ""),
                answer("empty", "abstained", "NOT KNOWN"),
                answer("view", "wrong", FORMULA),
            ],
        }],
        actions: vec![ActionRecord {
            request: 33,
            line: 67,
            condition: "view".to_owned(),
            verdict: "same_tool".to_owned(),
            recorded: vec!["read src/a.rs".to_owned(), "read src/b.rs".to_owned()],
            named: Some(format!("read {HOSTILE}")),
            tools: "seen".to_owned(),
            offered: "protocol".to_owned(),
        }],
        ..ExamRecord::default()
    }
}

/// Of the last summary of the first cell: a grade with evidence, a fact that it does not state, and one whose evidence stands nowhere;
/// and a grade of a summary that is no longer there.
fn judgements() -> Vec<JudgementRecord> {
    let judgement = |rubric: &str, item: Option<&str>, grade: Option<u8>, most: u8, evidence: &str| JudgementRecord {
        judgement: format!("{rubric}-{}", item.unwrap_or_default()),
        cell: "c060".to_owned(),
        strategy: "pi".to_owned(),
        transcript: "refactor-parser".to_owned(),
        lineage: "refactor-parser".to_owned(),
        rubric: rubric.to_owned(),
        item: item.map(str::to_owned),
        judge: format!("chat:judge {HOSTILE}"),
        grade,
        most,
        void: grade.is_none().then(|| "its evidence stands nowhere in the text".to_owned()),
        evidence: evidence.to_owned(),
        mock: false,
        summary_sha256: None,
        regression_sha256: "cc".repeat(32),
    };
    let stale = JudgementRecord {
        summary_sha256: Some("00".repeat(32)),
        ..judgement("continuity", None, Some(5), 5, "old words")
    };
    vec![
        judgement("strict", Some("goal-1"), Some(2), 2, "rewrite THE parser"),
        judgement("strict", Some(FORMULA), Some(0), 2, ""),
        judgement("accuracy", None, None, 5, FORMULA),
        stale,
    ]
}

fn measures(kept: u64, loss: f64, is_annotated: bool, compactions: u32) -> BTreeMap<String, Measure> {
    let compacts = kept > 0;
    let when = |condition: bool, reason: &str, value: f64| {
        if condition { Measure::Value(value) } else { Measure::void(reason) }
    };
    let estimated = |value| when(compacts, "the strategy asks no estimator", value);
    let scored = |value: f64| match (is_annotated, compacts) {
        (false, _) => Measure::void("the transcript has no annotations"),
        (true, false) => Measure::void("nothing was compacted"),
        (true, true) => Measure::Value(value),
    };
    let list = [
        ("compactions_count", Measure::Value(f64::from(compactions))),
        ("estimation_error_ratio", estimated(-0.1)),
        ("estimation_abs_error_ratio", estimated(0.1)),
        ("invalidated_tokens", Measure::Value(f64::from(compactions) * 78_500.0)),
        ("rewritten_tokens", Measure::Value(f64::from(compactions) * 25_200.0)),
        #[expect(clippy::cast_precision_loss, reason = "small")]
        ("kept_tokens", when(compacts, "nothing was compacted", kept as f64)),
        ("cost_usd", Measure::Value(if kept == 24_000 { 0.5 } else { 0.25 })),
        ("goal_loss", scored(loss)),
        ("goal_loss_goal", scored(0.0)),
        ("goal_loss_constraint", scored(loss * 1.5)),
        ("goal_loss_decision", scored(loss)),
        ("critical_lost_count", scored(f64::from(u8::from(loss > 0.5)))),
        ("overflows_count", Measure::Value(if compacts { 0.0 } else { 2.0 })),
        ("stuck_count", Measure::Value(if kept == 20_000 { 1.0 } else { 0.0 })),
        ("no_gain_count", Measure::Value(0.0)),
        ("repaired_orphans_count", Measure::Value(if kept == 20_000 { f64::from(compactions) } else { 0.0 })),
    ];
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn items(strategy: &str) -> Vec<ItemRecord> {
    let item = |id: &str, category: &str, critical, fate: &str, score| ItemRecord {
        item: id.to_owned(),
        category: category.to_owned(),
        weight: 1.0,
        critical,
        fate: fate.to_owned(),
        score,
        source_lines: vec![2],
        rounds_count: u32::from(score.is_some()),
        lost: matches!(fate, "lost" | "wrong"),
        text: format!("the text of {id}"),
    };
    let fate = |index: usize| match (strategy, index) {
        ("none", _) => ("in_tail", None),
        ("pi", 2) => ("partly", Some(0.5)),
        ("pi", 3) => ("wrong", Some(-0.5)),
        ("pi", _) | (_, 0 | 3) => ("kept", Some(1.0)),
        _ => ("lost", Some(0.0)),
    };
    let list = [
        ("goal-1", "goal", false),
        ("never-touch-generated-files", "constraint", true),
        (FORMULA, "decision", false),
        (HOSTILE, "value", false),
    ];
    list.into_iter()
        .enumerate()
        .map(|(index, (id, category, critical))| item(id, category, critical, fate(index).0, fate(index).1))
        .collect()
}

fn fates(strategy: &str) -> BTreeMap<String, String> {
    items(strategy).into_iter().map(|item| (item.item, item.fate)).collect()
}

/// What was said, in both transcripts, and what the items of the first one are.
fn sources() -> Sources {
    let message = |transcript: &str, line: u64| MessageRecord {
        transcript: transcript.to_owned(),
        line,
        role: ["user", "assistant", "tool_result", HOSTILE][usize::try_from(line % 4).unwrap()].to_owned(),
        chars: if line == 5 { 9_000 } else { 60 },
        text: match line {
            4 => format!("Please rewrite   the PARSER, and never touch generated files.\n{HOSTILE}"),
            line => format!("message of line {line} </pre><b>not bold</b>"),
        },
    };
    let annotation = |item: &str, lines: &[u64], must: &[&str]| AnnotationRecord {
        transcript: "refactor-parser".to_owned(),
        item: item.to_owned(),
        text: format!("what {item} means"),
        lines: lines.to_vec(),
        must: must.iter().map(|spelling| vec![(*spelling).to_owned()]).collect(),
        must_not: Vec::new(),
    };
    let of = |transcript: &'static str, last: u64| (2..=last).map(move |line| message(transcript, line));
    Sources {
        messages: of("refactor-parser", 121).chain(of(HOSTILE, 49)).collect(),
        annotations: vec![
            annotation("goal-1", &[4], &["rewrite the parser"]),
            annotation("never-touch-generated-files", &[4], &["never touch", "generated"]),
            annotation(FORMULA, &[9, 500], &["calc"]),
            annotation(HOSTILE, &[11], &["<script>"]),
        ],
        classes: classes(),
    }
}

/// Code is a fifth too low in one lineage and right in the other; logs are in one alone, and half too low.
fn classes() -> Vec<ClassRecord> {
    let class = |transcript: &str, class: &str, reference_tokens, estimate_tokens| ClassRecord {
        transcript: transcript.to_owned(),
        lineage: transcript.to_owned(),
        estimator: "chars/4".to_owned(),
        class: class.to_owned(),
        messages: 7,
        reference_tokens,
        estimate_tokens,
    };
    vec![
        class("refactor-parser", "code", 1_000, 800),
        class("refactor-parser", "log", 500, 250),
        class(HOSTILE, "code", 2_000, 2_000),
    ]
}

fn manifest() -> Manifest {
    let transcript = |name: &str, requests, head_tokens| TranscriptRecord {
        name: name.to_owned(),
        lineage: name.to_owned(),
        sha256: "5f2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b".to_owned(),
        format: "pi-v3".to_owned(),
        messages: requests * 2,
        requests,
        reference_tokens: requests * 2_500,
        head_tokens,
        findings: if head_tokens.is_none() { BTreeMap::from([("bad_line".to_owned(), 2)]) } else { BTreeMap::new() },
    };
    Manifest {
        schema: SCHEMA,
        generator: "cutpoint 0.1.0".to_owned(),
        experiment: "First look: three strategies".to_owned(),
        config: format!("name = \"first-look\"\n# {HOSTILE}\n"),
        config_sha256: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff".to_owned(),
        history: "full".to_owned(),
        reference: "o200k_base".to_owned(),
        mock: true,
        transcripts: vec![transcript("refactor-parser", 60, Some(1_500)), transcript(HOSTILE, 24, None)],
        cells: 8,
        shard: None,
        measures: definitions(),
        caveats: vec![
            "A replay is counterfactual after the first compaction: the recorded agent saw another context.".to_owned(),
        ],
    }
}

fn definitions() -> Vec<MeasureDef> {
    use Direction::{Lower, Neutral};
    let list = [
        ("compactions_count", "count", Neutral, "Compactions."),
        ("estimation_error_ratio", "ratio", Neutral, "Mean of (estimate - reference) / reference over requests."),
        ("estimation_abs_error_ratio", "ratio", Lower, "Mean of |estimate - reference| / reference over requests."),
        ("invalidated_tokens", "tokens", Lower, "Cached tokens that compactions and edits made worthless."),
        ("rewritten_tokens", "tokens", Lower, "Tokens written to the cache again after a compaction."),
        ("kept_tokens", "tokens", Neutral, "Mean context after a compaction."),
        ("cost_usd", "usd", Lower, "All requests and summary calls."),
        ("goal_loss", "score", Lower, "Weighted share of the annotated items that are lost, 0 to 1."),
        ("goal_loss_goal", "score", Lower, "The same for goals."),
        ("goal_loss_constraint", "score", Lower, "The same for constraints."),
        ("goal_loss_decision", "score", Lower, "The same for decisions."),
        ("critical_lost_count", "count", Lower, "Critical items lost."),
        ("overflows_count", "count", Lower, "Requests that did not fit the window."),
        ("stuck_count", "count", Lower, "Triggers that fired with nothing to drop."),
        ("no_gain_count", "count", Lower, "Compactions that did not make the context smaller."),
        ("repaired_orphans_count", "count", Lower, "Calls and results without their partner, removed by the replay."),
    ];
    list.into_iter()
        .map(|(name, unit, direction, about)| MeasureDef {
            name: name.to_owned(),
            unit: unit.to_owned(),
            direction,
            about: about.to_owned(),
            version: 1,
        })
        .collect()
}

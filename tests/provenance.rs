//! Every shared transcript against its row of PROVENANCE.md, and that no file is without one.
//!
//! The rows count records of the source. What becomes of them differs by format, and is checked in detail in
//! `tests/import_*.rs`: lines of one reply are one message (Claude Code), a step is a reply and its results (ATIF), calls
//! and results stand apart (Gemini, Codex), the system prompt is in the head.

#![expect(clippy::unwrap_used, reason = "a row of another shape is a failed test")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use common::imported::{compactions, messages, usages};
use cutpoint::import::{FindingKind, read_all};

/// Sessions, messages, recorded usages, sum of the recorded prompts in tokens, compactions.
type Counts = (usize, usize, usize, u64, usize);

/// File, messages of its row, and what is imported.
const ROWS: &[(&str, usize, Counts)] = &[
    // 27 is the longest list that a request sent; replies, short requests beside it and branches come to it.
    ("claude-trace-traffic.jsonl", 27, (28, 106, 63, 319_166, 1)),
    ("atif-openagents-orchestrator.json", 8, (1, 8, 0, 0, 0)),
    ("atif-openhands-hello-world.trajectory.json", 6, (1, 6, 2, 220, 0)),
    // A step is a reply and its results; the hand-off stands in the file before.
    ("atif-terminus2-summarization-linear.cont-1.trajectory.json", 8, (1, 12, 4, 4_250, 0)),
    // A step is a reply and its results.
    ("atif-terminus2-summarization-linear.trajectory.json", 5, (1, 7, 3, 2_252, 1)),
    ("cc-cipherbox-images-1compaction.jsonl", 283, (1, 191, 82, 8_104_373, 1)),
    ("cc-entire-2compactions-b.jsonl", 771, (1, 461, 219, 23_326_960, 2)),
    ("cc-ohmyposh-images.jsonl", 658, (1, 488, 211, 46_728_371, 0)),
    ("cc-openagents-subagent-a1df203.jsonl", 12, (1, 8, 4, 77_978, 0)),
    ("cc-streamjson-openagents-opus.jsonl", 10, (1, 6, 3, 70_684, 0)),
    ("cc-viewer-inline-sidechains.jsonl", 437, (6, 345, 170, 3_786_648, 0)),
    ("cc-viewer-japanese.jsonl", 53, (3, 45, 20, 372_135, 0)),
    ("codex-agentv-2compactions.jsonl", 581, (1, 369, 180, 11_070_182, 2)),
    // Its usage belongs to a turn, not to a reply: a note.
    ("codex-legacy-050.jsonl", 0, (1, 0, 0, 0, 0)),
    // A catalogue: the compactions of all its kinds.
    ("codex-stage0-small.jsonl", 22, (1, 19, 1, 16_341, 6)),
    ("gemini-entire-a.json", 13, (1, 21, 10, 131_375, 0)),
    ("gemini-stage0-v040.jsonl", 5, (1, 4, 2, 23_924, 0)),
    ("inspect-browser-agent.json", 10, (1, 10, 5, 15_235, 0)),
    ("inspect-ctf-docent-gpt4o.eval", 332, (15, 317, 147, 395_844, 0)),
    ("deepagents-summarization-seed.json", 6, (1, 6, 3, 33_693, 0)),
    ("deerflow-thread-chinese-5aa47db1.json", 39, (1, 39, 0, 0, 0)),
    ("deerflow-thread-github-research.json", 74, (1, 74, 0, 0, 0)),
    ("deerflow-v1-replay-chinese-rag.messages.json", 20, (1, 20, 0, 0, 0)),
    ("mini-swe-django-11797-deepseek-chat.traj.json", 314, (1, 312, 156, 5_200_912, 0)),
    ("mini-swe-github-issue.traj.json", 22, (1, 21, 0, 0, 0)),
    ("openhands-sdk-litellm-claude-sonnet4.json", 12, (1, 12, 1, 6_729, 0)),
    ("swe-smith-ft-xml.jsonl", 209, (3, 206, 0, 0, 0)),
    ("tau-bench-gpt4o-airline.first10.json", 302, (10, 292, 0, 0, 0)),
    ("uitars-planner-chinese-loop8-request.json", 2, (1, 1, 0, 0, 0)),
    ("openhands-multiswe-output.jsonl", 222, (3, 214, 105, 1_913_342, 0)),
    ("openhands-v1-goal-events.jsonl", 10, (1, 5, 2, 71_283, 0)),
    ("pi-v1-before-compaction.jsonl", 990, (1, 990, 484, 56_382_684, 2)),
    ("pi-v1-large-session.jsonl", 914, (1, 914, 453, 47_526_750, 0)),
    ("pi-v3-openclaw-lru-main.jsonl", 123, (1, 131, 53, 2_220_666, 1)),
    ("pi-v3-openclaw-lru-sub1.jsonl", 6, (1, 6, 3, 85_515, 0)),
    ("swe-agent-ctf-i-got-id.traj", 43, (1, 42, 0, 0, 0)),
    ("swe-agent-marshmallow-1867-function-calling.traj", 28, (1, 27, 0, 0, 0)),
    ("swe-smith-pydantic-8316.traj", 46, (1, 45, 0, 0, 0)),
];

/// Files whose rows name a peculiarity that is a finding, or that lack replies: kinds and how many.
const FINDINGS: &[(&str, &[(FindingKind, usize)])] = &[
    // "Catalogue of event kinds with trimmed texts (not a natural session)": all ids are the same words.
    (
        "codex-stage0-small.jsonl",
        &[(FindingKind::DuplicateId, 85), (FindingKind::UnknownKind, 12), (FindingKind::MissingTarget, 1)],
    ),
    // Ten events of a longer session: its running sums of usage count replies that are not among them.
    ("openhands-v1-goal-events.jsonl", &[(FindingKind::MissingTarget, 3)]),
];

/// A row: file, messages, usage, compactions.
struct Row {
    file: String,
    messages: usize,
    usage: String,
    compactions: String,
}

fn rows(text: &str) -> Vec<Row> {
    let cells =
        |line: &str| line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let row = |cells: Vec<String>| {
        let messages = cells.get(8)?.parse().ok()?;
        (cells.len() == 14).then(|| Row {
            file: cells[1].clone(),
            messages,
            usage: cells[9].clone(),
            compactions: cells[10].clone(),
        })
    };
    text.lines().map(cells).filter_map(row).collect()
}

fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().flat_map(|entry| below(entry.unwrap().path())).collect();
    all.sort();
    all.retain(|path| path.extension().is_none_or(|extension| extension != "md"));
    all
}

#[test]
fn every_file_has_the_counts_of_its_row() {
    let Some(shared) = common::shared() else { return };
    let folder = shared.join("transcripts");
    let rows = rows(&std::fs::read_to_string(folder.join("PROVENANCE.md")).unwrap());
    let files = files(&folder);
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let names: BTreeSet<String> = files.iter().map(name).collect();
    assert_eq!(names, ROWS.iter().map(|row| row.0.to_owned()).collect(), "files, and the table of this test");
    assert_eq!(names, rows.iter().map(|row| row.file.clone()).collect(), "files, and PROVENANCE.md");
    for path in files {
        let file = name(&path);
        let row = rows.iter().find(|row| row.file == file).unwrap();
        let &(_, in_source, expected) = ROWS.iter().find(|row| row.0 == file).unwrap();
        assert_eq!(row.messages, in_source, "{file}");
        let (_, all) = read_all(&std::fs::read(&path).unwrap()).unwrap();
        let sum = |count: &dyn Fn(&cutpoint::transcript::Transcript) -> usize| {
            all.iter().map(|one| count(&one.transcript)).sum::<usize>()
        };
        let prompts: u64 = all.iter().flat_map(|one| usages(&one.transcript)).map(|usage| usage.prompt().0).sum();
        let counts =
            (all.len(), sum(&|one| messages(one).len()), sum(&|one| usages(one).len()), prompts, sum(&compactions));
        assert_eq!(counts, expected, "{file}");
        // What the row says of usage and compactions, but for the files that the table explains.
        let explained =
            ["codex-legacy-050.jsonl", "codex-stage0-small.jsonl"].contains(&&*file) || file.contains(".cont-1.");
        assert!(explained || (row.usage == "yes") == (counts.2 > 0), "{file}: usage {}", row.usage);
        let recorded = row.compactions.split(' ').next().unwrap().parse().unwrap_or(0);
        assert!(explained || recorded == counts.4, "{file}: compactions {}", row.compactions);
        let mut kinds: BTreeMap<FindingKind, usize> = BTreeMap::new();
        all.iter().flat_map(|one| &one.findings).for_each(|finding| *kinds.entry(finding.kind).or_default() += 1);
        let named = FINDINGS.iter().find(|row| row.0 == file).map_or(&[][..], |row| row.1);
        assert_eq!(kinds, named.iter().copied().collect(), "{file}: findings");
    }
}

/// The prompts of the replies, against the running totals that the agents themselves kept.
#[test]
fn prompts_add_up_to_the_recorded_totals() {
    let Some(shared) = common::shared() else { return };
    let folder = shared.join("transcripts");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let prompts = |bytes: &[u8]| -> u64 {
        let (_, all) = read_all(bytes).unwrap();
        all.iter().flat_map(|one| usages(&one.transcript)).map(|usage| usage.prompt().0).sum()
    };
    let lines = |bytes: &[u8]| -> Vec<serde_json::Value> {
        let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    };
    // Codex: the last running sum of the session.
    let bytes = read("codex/codex-agentv-2compactions.jsonl");
    let totals = lines(&bytes);
    let totals = totals.iter().filter_map(|line| line["payload"]["info"]["total_token_usage"]["input_tokens"].as_u64());
    assert_eq!(prompts(&bytes), totals.max().unwrap());
    // OpenHands: the sums of its three instances.
    let bytes = read("openhands/openhands-multiswe-output.jsonl");
    let total =
        |line: &serde_json::Value| line["metrics"]["accumulated_token_usage"]["prompt_tokens"].as_u64().unwrap();
    assert_eq!(prompts(&bytes), lines(&bytes).iter().map(total).sum::<u64>());
    // mini-swe-agent: its own totals are calls and dollars; the prompts are those of the responses that it kept.
    let bytes = read("mini-swe-agent/mini-swe-django-11797-deepseek-chat.traj.json");
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let kept = document["messages"].as_array().unwrap().iter();
    let kept: Vec<u64> =
        kept.filter_map(|message| message["extra"]["response"]["usage"]["prompt_tokens"].as_u64()).collect();
    assert_eq!(
        (prompts(&bytes), &document["info"]["model_stats"]["api_calls"]),
        (kept.iter().sum(), &kept.len().into())
    );
}

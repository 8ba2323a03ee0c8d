//! Sessions that a generator makes up: parallel calls, missing and orphan results, failed replies, empty messages,
//! pictures, branches, several roots, compactions and context edits.

use cutpoint::engine::pi::{Path, Rules};
use cutpoint::engine::preset::presets;
use cutpoint::replay::{History, Model};
use cutpoint::transcript::{
    Bash, Block, BranchSummary, Compaction, Content, ContextEdit, Custom, Entry, EntryIdx, EntryKind, Head, Image,
    JsonText, Message, Reply, Role, StopReason, System, Text, Tokens, ToolCall, ToolResult, ToolSchema, Transcript,
    Usage,
};
use proptest::prelude::*;

use crate::counts::is_invented;
use crate::{Answers, Shared};

/// Models that made-up sessions change between.
const MODELS: [&str; 2] = ["m", "n"];

/// One step of a made-up session.
#[derive(Clone, Debug)]
enum Step {
    User {
        size: usize,
        image: bool,
    },
    Custom(usize),
    Bash {
        size: usize,
        excluded: bool,
    },
    Branch(usize),
    System(usize),
    Reply {
        size: usize,
        calls: usize,
        stop: u8,
        usage: bool,
        thinking: bool,
    },
    /// Answers the open call at this place, counted from the newest.
    Result {
        which: usize,
        size: usize,
        image: bool,
    },
    /// A result of a call that nobody made.
    Orphan(usize),
    Compaction {
        kept: Option<usize>,
        hook: bool,
    },
    Edit {
        target: usize,
        replacement: Option<usize>,
    },
    Note,
    /// The next entry has no parent.
    Root,
    /// The next entry follows an older one.
    Back(usize),
}

/// Sizes in words: nothing, a little, and what fills windows and Pi's 20,000 tokens.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(0), 6 => 1..30_usize, 3 => 300..900_usize, 3 => 2_000..6_000_usize, 1 => Just(24_000_usize)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (size(), any::<bool>()).prop_map(|(size, image)| Step::User { size, image: image && size % 3 == 0 }),
        1 => size().prop_map(Step::Custom),
        1 => (size(), any::<bool>()).prop_map(|(size, excluded)| Step::Bash { size, excluded }),
        1 => size().prop_map(Step::Branch),
        1 => size().prop_map(Step::System),
        10 => (size(), 0..4_usize, 0..8_u8, any::<bool>(), any::<bool>())
            .prop_map(|(size, calls, stop, usage, thinking)| Step::Reply { size, calls, stop, usage, thinking }),
        10 => (0..3_usize, size(), any::<bool>())
            .prop_map(|(which, size, image)| Step::Result { which, size, image: image && size % 3 == 0 }),
        1 => size().prop_map(Step::Orphan),
        1 => (proptest::option::of(0..6_usize), any::<bool>()).prop_map(|(kept, hook)| Step::Compaction { kept, hook }),
        2 => (0..6_usize, proptest::option::of(size())).prop_map(|(target, replacement)| Step::Edit { target, replacement }),
        1 => Just(Step::Note),
        1 => prop_oneof![9 => Just(Step::Note), 1 => Just(Step::Root)],
        1 => (0..5_usize).prop_map(Step::Back),
    ]
}

/// Builds the session.
#[derive(Default)]
struct Builder {
    transcript: Transcript,
    parent: Option<EntryIdx>,
    open: Vec<Box<str>>,
    calls: usize,
}

fn words(size: usize) -> Text {
    const WORDS: [&str; 7] = ["tray", "feeder", "the", "修复", "é", "scale", "\n"];
    Text::new((0..size).map(|at| WORDS[(at * 5 + size) % WORDS.len()]).collect::<Vec<_>>().join(" "))
}

fn content(size: usize, image: bool) -> Content {
    // A size of nothing is an empty list, or a list of one empty text.
    let mut blocks = if size == 0 { Vec::new() } else { vec![Block::Text(words(size))] };
    if image {
        blocks.push(Block::Image(Image { data: "aGk=".repeat(size + 1).into(), media_type: "image/png".into() }));
    }
    Content { blocks, plain: size % 2 == 1 && !image }
}

impl Builder {
    fn push(&mut self, kind: EntryKind) {
        let index = self.transcript.entries.len();
        let (id, line) = (format!("{index:08x}").into(), index + 2);
        let parent = self.parent.replace(EntryIdx(index));
        let entry = Entry { id, parent, line, timestamp: None, message_time_ms: None, kind, extra: None };
        self.transcript.entries.push(entry);
    }

    fn message(&mut self, message: Message) {
        self.push(EntryKind::Message(message));
    }

    /// Id of the entry that is `back` before the newest.
    fn id(&self, back: usize) -> Box<str> {
        let len = self.transcript.entries.len();
        len.checked_sub(back + 1).map_or_else(|| "nowhere".into(), |index| self.transcript.entries[index].id.clone())
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::User { size, image } => self.message(Message::User(content(size, image))),
            Step::Custom(size) => {
                let content = content(size, false);
                let custom = Custom { kind: "note".into(), content, display: true, details: None };
                self.message(Message::Custom(Box::new(custom)));
            }
            Step::Bash { size, excluded } => self.bash(size, excluded),
            Step::Branch(size) => self.push(EntryKind::BranchSummary(Box::new(BranchSummary {
                from: "x".into(),
                summary: words(size),
                details: JsonText::new(r#"{"readFiles":["a"],"modifiedFiles":[]}"#),
                from_hook: size % 2 == 0,
            }))),
            Step::System(size) => {
                let tools_added = JsonText::new(r#"[{"name":"read"}]"#);
                self.message(Message::System(Box::new(System {
                    content: words(size),
                    sections: vec![("a".into(), words(3))],
                    tools_added,
                })));
            }
            Step::Reply { size, calls, stop, usage, thinking } => self.reply(size, calls, stop, usage, thinking),
            Step::Result { which, size, image } => {
                let which = self.open.len().checked_sub(which + 1);
                let call_id = which.map_or_else(|| "gone".into(), |at| self.open.remove(at));
                self.result(call_id, size, image);
            }
            Step::Orphan(size) => self.result("nobody".into(), size, false),
            Step::Compaction { kept, hook } => self.compaction(kept, hook),
            Step::Edit { target, replacement } => {
                let edit =
                    ContextEdit { target: self.id(target), replacement: replacement.map(|size| content(size, false)) };
                self.push(EntryKind::ContextEdit(Box::new(edit)));
            }
            Step::Note => self.push(EntryKind::Note { kind: "label".into(), raw: JsonText::new("{}").unwrap() }),
            Step::Root => self.parent = None,
            Step::Back(back) => self.parent = self.transcript.entries.len().checked_sub(back + 1).map(EntryIdx),
        }
    }

    fn bash(&mut self, size: usize, excluded: bool) {
        let bash = Bash {
            command: "ls".into(),
            output: words(size),
            exit_code: Some(i64::from(excluded)),
            cancelled: size == 7,
            truncated: size == 8,
            full_output_path: Some("/tmp/out".into()),
            excluded,
        };
        self.message(Message::Bash(Box::new(bash)));
    }

    fn reply(&mut self, size: usize, calls: usize, stop: u8, usage: bool, thinking: bool) {
        let mut blocks = content(size, false).blocks;
        if thinking {
            blocks.insert(0, Block::Thinking { text: words(size / 2), signature: Some("s".into()), redacted: false });
        }
        for _ in 0..calls {
            self.calls += 1;
            // Now and then two calls have the same id.
            let id: Box<str> = if stop == 6 { "twice".into() } else { format!("c{}", self.calls).into() };
            let (name, arguments) =
                (["read", "bash", "write"][self.calls % 3], r#"{"path":"src/tray.rs","command":"git status"}"#);
            self.open.push(id.clone());
            blocks.push(Block::ToolCall(ToolCall {
                id,
                name: Text::from(name).into(),
                arguments: JsonText::new(arguments).unwrap(),
            }));
        }
        let stop = match stop {
            0 => StopReason::Error,
            1 => StopReason::Aborted,
            2 => StopReason::Length,
            3 => StopReason::Other("pending".into()),
            _ if calls > 0 => StopReason::ToolUse,
            _ => StopReason::Stop,
        };
        let input = 10 * size as u64;
        let usage = usage.then(|| Usage { input, output: 5, ..Usage::default() });
        let api = if size.is_multiple_of(2) { "anthropic-messages" } else { "openai-completions" };
        let reply = Reply { api: api.into(), provider: "p".into(), model: "m".into(), stop, usage, error: None };
        self.message(Message::Assistant(Content { blocks, plain: false }, Box::new(reply)));
    }

    fn result(&mut self, call_id: Box<str>, size: usize, image: bool) {
        let content = content(size, image);
        let result = ToolResult {
            call_id,
            tool: "read".into(),
            content,
            is_error: size == 1,
            details: None,
            nested_calls: JsonText::new(r#"[{"name":"read","arguments":{"path":"b"}}]"#).map(Box::new),
        };
        self.message(Message::ToolResult(Box::new(result)));
    }

    fn compaction(&mut self, kept: Option<usize>, hook: bool) {
        let compaction = Compaction {
            summary: words(40),
            first_kept: kept.map(|back| self.id(back)),
            tokens_before: Some(1),
            details: JsonText::new(r#"{"readFiles":["a"],"modifiedFiles":["b"]}"#),
            from_hook: hook,
            ..Compaction::default()
        };
        self.push(EntryKind::Compaction(Box::new(compaction)));
    }
}

/// The steps and what they build; a failure prints the steps.
struct Session {
    steps: Vec<Step>,
    transcript: Transcript,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.steps).finish()
    }
}

fn session() -> impl Strategy<Value = Session> {
    (proptest::collection::vec(step(), 1..45), any::<bool>()).prop_map(|(steps, head)| {
        let mut builder = Builder::default();
        if head {
            let tool = ToolSchema { name: "read".into(), description: "Reads a file.".into(), parameters: "{}".into() };
            builder.transcript.head = Head { system: Some(words(50)), tools: Some(vec![tool]) };
        }
        for step in &steps {
            builder.step(step);
        }
        Session { steps, transcript: builder.transcript }
    })
}

fn answers() -> impl Strategy<Value = Answers> {
    prop_oneof![
        5 => Just(Answers::Well),
        1 => Just(Answers::Nothing),
        1 => Just(Answers::TooLong),
        1 => Just(Answers::Truncated),
        1 => Just(Answers::Fails),
        1 => Just(Answers::Overflows),
    ]
}

/// At the end of a followed recording the context is the one that Pi builds from the whole path.
fn followed_as_pi_reads_it(transcript: &Transcript) {
    let indices = transcript.path();
    let path = Path::new(transcript, &indices, &Rules::V1_6);
    if reaches_behind(&path) {
        return;
    }
    let said = |message: &&Message| message.role() != Role::System && !is_invented(message);
    let context = path.context();
    let theirs: Vec<&Message> = context.iter().map(|item| &*item.message).filter(said).collect();
    let shared = Shared::new(transcript);
    shared.follow(|live| {
        let ours: Vec<&Message> = live.view().messages(0..live.view().len()).filter(said).collect();
        assert_eq!(ours, theirs);
    });
}

/// Whether a compaction keeps what an earlier one had dropped: no release of Pi writes that, and a live context cannot
/// bring it back.
fn reaches_behind(path: &Path<'_>) -> bool {
    let mut floor = 0;
    (0..path.len()).any(|at| {
        let EntryKind::Compaction(compaction) = &path.entry(at).kind else { return false };
        let kept = compaction.first_kept.as_deref().and_then(|id| path.find(id, at));
        let behind = kept.is_some_and(|kept| kept < floor);
        floor = kept.unwrap_or(at);
        behind
    })
}

/// `PROPTEST_CASES`, or few, because every case runs every preset in a debug build.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// The same session with replies of two models in turn, and changes between them where it had notes.
fn with_models(mut transcript: Transcript) -> Transcript {
    for (at, entry) in transcript.entries.iter_mut().enumerate() {
        let model = MODELS[at / 2 % 2];
        match &mut entry.kind {
            EntryKind::Message(Message::Assistant(_, reply)) => reply.model = model.into(),
            kind @ EntryKind::Note { .. } => {
                *kind = EntryKind::ModelChange { provider: "p".into(), model: model.into() }
            }
            _ => {}
        }
    }
    transcript
}

proptest! {
    #![proptest_config(config())]

    /// Windows by recorded model that are all alike are one window.
    #[test]
    fn equal_windows_are_one_window(session in session(), llm in answers(), window in 0..4_usize, other in any::<bool>()) {
        let transcript = with_models(session.transcript);
        let shared = Shared::new(&transcript);
        let window = [0, 900, 17_000, 40_000][window];
        for name in crate::OWN_RULES {
            let preset = cutpoint::engine::preset::preset(name).unwrap();
            for history in [History::Full, History::Recorded] {
                let one = Model::new("", Tokens(window), Tokens(1_000));
                let limits = one.limits(None);
                let recorded = MODELS.map(|model| (model.to_owned(), limits)).into();
                // Whatever the cell's own window is, where the session says from the beginning which model it runs on.
                let own = if other && shared.names_a_model_first() { Tokens(1_000_000) } else { Tokens(window) };
                let by_model = Model { recorded, window: own, ..one.clone() };
                let [expected, found] = [&one, &by_model].map(|model| shared.told(&preset, model, history, llm));
                prop_assert_eq!(found, expected, "{}", name);
            }
        }
    }

    #[test]
    fn no_session_is_too_odd(session in session(), llm in answers(), window in 0..4_usize) {
        let shared = Shared::new(&session.transcript);
        let window = [0, 900, 17_000, 40_000][window];
        followed_as_pi_reads_it(&session.transcript);
        for preset in presets() {
            shared.check(&preset, &[window], History::Full, llm);
            shared.check(&preset, &[window], History::Recorded, llm);
        }
    }
}

//! Counts made a second way, from the text of every message. Nothing of the replay's tables is used.

use std::cell::RefCell;
use std::collections::HashMap;

use cutpoint::engine::estimate::Estimator;
use cutpoint::engine::estimate::outside::Inside;
use cutpoint::engine::spec::EstimatorSpec;
use cutpoint::tokens::Reference;
use cutpoint::transcript::{Block, EntryIdx, Message, System, Text, ToolResult, user_text};

/// A piece of a message that is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Image(String),
}

/// What of a message is sent, piece by piece; nothing for what is never sent.
pub(crate) fn pieces(message: &Message) -> Vec<Piece> {
    let text = |text: &str| Piece::Text(text.to_owned());
    match message {
        Message::Assistant(_, reply) if reply.failed() => Vec::new(),
        Message::Bash(_) | Message::BranchSummary(_) | Message::CompactionSummary(_) => {
            user_text(message).iter().map(|said| text(said)).collect()
        }
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            let sections = sections.iter().map(|(_, said)| text(said.as_str()));
            let tools = tools_added.iter().map(|tools| text(tools.as_str()));
            [text(content.as_str())].into_iter().chain(sections).chain(tools).collect()
        }
        _ => message.blocks().iter().flat_map(block_pieces).collect(),
    }
}

fn block_pieces(block: &Block) -> Vec<Piece> {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => vec![Piece::Text(text.as_str().to_owned())],
        Block::ToolCall(call) => {
            vec![Piece::Text(call.name.as_str().to_owned()), Piece::Text(call.arguments.as_str().to_owned())]
        }
        Block::Image(image) => vec![Piece::Image(image.data.to_string())],
        Block::Other(raw) => vec![Piece::Text(raw.as_str().to_owned())],
    }
}

/// The provider's word for who speaks.
pub(crate) fn wire_role(message: &Message) -> &'static str {
    match message {
        Message::Assistant(..) => "assistant",
        Message::ToolResult(_) => "tool",
        Message::System(_) => "system",
        _ => "user",
    }
}

/// Reference counts of texts, remembered.
#[derive(Default)]
pub(crate) struct Counter {
    texts: RefCell<HashMap<String, u64>>,
    messages: RefCell<Remembered>,
}

/// Figures of recorded messages, by entry.
#[derive(Default)]
struct Remembered(Vec<Option<u64>>);

impl Remembered {
    fn get(&self, of: Option<EntryIdx>) -> Option<u64> {
        self.0.get(of?.0).copied().flatten()
    }

    fn set(&mut self, of: Option<EntryIdx>, figure: u64) -> u64 {
        if let Some(EntryIdx(index)) = of {
            self.0.resize(self.0.len().max(index + 1), None);
            self.0[index] = Some(figure);
        }
        figure
    }
}

impl Counter {
    const REFERENCE: Reference = Reference::O200kBase;

    pub(crate) fn text(&self, text: &str) -> u64 {
        if let Some(&known) = self.texts.borrow().get(text) {
            return known;
        }
        let count = Self::REFERENCE.count(text).0;
        self.texts.borrow_mut().insert(text.to_owned(), count);
        count
    }

    /// Tokens of a recorded message, or of a made one.
    pub(crate) fn message(&self, message: &Message, entry: Option<EntryIdx>) -> u64 {
        if let Some(known) = self.messages.borrow().get(entry) {
            return known;
        }
        let count = pieces(message).iter().map(|piece| self.piece(piece)).sum();
        self.messages.borrow_mut().set(entry, count)
    }

    pub(crate) fn piece(&self, piece: &Piece) -> u64 {
        match piece {
            Piece::Text(text) => self.text(text),
            // Pi's figure: 4,800 characters / 4.
            Piece::Image(_) => 1_200,
        }
    }

    /// Tokens that two messages share from the start, and whether they are the same to a provider.
    pub(crate) fn shared(&self, a: &Message, b: &Message) -> (u64, bool) {
        if std::ptr::eq(a, b) {
            return (pieces(a).iter().map(|piece| self.piece(piece)).sum(), true);
        }
        if wire_role(a) != wire_role(b) {
            return (0, false);
        }
        let (a, b) = (pieces(a), pieces(b));
        let equal = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let tokens: u64 = a[..equal].iter().map(|piece| self.piece(piece)).sum();
        if equal == a.len() && equal == b.len() {
            return (tokens, true);
        }
        let partial = match (a.get(equal), b.get(equal)) {
            (Some(Piece::Text(a)), Some(Piece::Text(b))) => {
                let (a, b) = (Self::REFERENCE.encode(a), Self::REFERENCE.encode(b));
                a.iter().zip(&b).take_while(|(a, b)| a == b).count() as u64
            }
            _ => 0,
        };
        (tokens + partial, false)
    }
}

/// An estimator written a second time.
pub(crate) struct Second {
    spec: EstimatorSpec,
    theirs: std::sync::Arc<dyn Estimator>,
    known: RefCell<Remembered>,
}

impl Second {
    pub(crate) fn new(spec: EstimatorSpec) -> Self {
        let theirs = spec.build(&Inside).unwrap();
        Self { spec, theirs, known: RefCell::default() }
    }

    /// Usage from before a compaction is trusted no more.
    pub(crate) fn distrusts_old_usage(&self) -> bool {
        matches!(self.spec, EstimatorSpec::Pi { release } if release.rules().projection)
    }

    /// Estimate of one message. LangChain's rules for one message have golden answers of their own.
    pub(crate) fn message(&self, message: &Message, entry: Option<EntryIdx>) -> u64 {
        if let Some(known) = self.known.borrow().get(entry) {
            return known;
        }
        if entry.is_none() && is_invented(message) {
            return 0;
        }
        let estimate = match self.spec.clone() {
            EstimatorSpec::Pi { release } => pi(message, release.rules().user_images_count, release.rules().projection),
            EstimatorSpec::Chars { per_token, cjk_per_token } => chars(message, per_token, cjk_per_token),
            // The rules of these for one message have golden answers or numbers of their own.
            _ => self.theirs.message(message).0,
        };
        self.known.borrow_mut().set(entry, estimate)
    }

    /// Estimate of a context from its parts: the head, the items, and the anchor's item and usage.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    pub(crate) fn context(&self, head: u64, items: &[u64], anchor: Option<(usize, u64)>) -> u64 {
        let sum: u64 = items.iter().sum();
        match (self.spec.clone(), anchor) {
            (EstimatorSpec::Pi { .. }, Some((at, usage))) => usage + items[at + 1..].iter().sum::<u64>(),
            (EstimatorSpec::Pi { .. }, None) => sum,
            (EstimatorSpec::Langchain { scaling: true, .. }, Some((at, usage))) => {
                let estimated = head + items[..=at].iter().sum::<u64>();
                if estimated == 0 || usage == 0 {
                    return head + sum;
                }
                let scale = (usage as f64 / estimated as f64).clamp(1.0, 1.25);
                ((head + sum) as f64 * scale).ceil() as u64
            }
            _ => head + sum,
        }
    }
}

/// A result that a replay adds for a call that nothing answered. No agent stores it, so no estimator may count it.
pub(crate) fn is_invented(message: &Message) -> bool {
    matches!(message, Message::ToolResult(result) if is_invented_result(result))
}

fn is_invented_result(result: &ToolResult) -> bool {
    result.is_error
        && result.tool.is_empty()
        && matches!(result.content.blocks.as_slice(), [Block::Text(text)] if text.as_str() == "No result provided")
}

fn units(text: &Text) -> u64 {
    text.as_str().encode_utf16().count() as u64
}

fn pi(message: &Message, user_images: bool, system: bool) -> u64 {
    let image = |counts: bool| if counts { 4_800 } else { 0 };
    let blocks = |images: bool| -> u64 {
        let one = |block: &Block| match (message, block) {
            (_, Block::Text(text)) | (Message::Assistant(..), Block::Thinking { text, .. }) => units(text),
            (Message::Assistant(..), Block::ToolCall(call)) => units(&call.name) + call.arguments.js_utf16_len() as u64,
            (Message::Assistant(..), _) => 0,
            (_, Block::Image(_)) => image(images),
            _ => 0,
        };
        message.blocks().iter().map(one).sum()
    };
    let characters = match message {
        Message::User(_) => blocks(user_images),
        Message::Assistant(..) | Message::ToolResult(_) | Message::Custom(_) => blocks(true),
        Message::Bash(bash) => units(&bash.command) + units(&bash.output),
        Message::BranchSummary(text) | Message::CompactionSummary(text) => units(text),
        Message::System(_) if !system => 0,
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            units(content)
                + sections.iter().map(|(_, text)| units(text)).sum::<u64>()
                + tools_added.as_ref().map_or(0, |tools| tools.js_utf16_len() as u64)
        }
    };
    characters.div_ceil(4)
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
fn chars(message: &Message, per_token: f64, cjk: Option<f64>) -> u64 {
    let mut texts: Vec<&Text> = Vec::new();
    let mut plain = 0;
    for block in message.blocks() {
        match block {
            Block::Text(text) | Block::Thinking { text, .. } => texts.push(text),
            Block::ToolCall(call) => {
                texts.push(&call.name);
                plain += call.arguments.js_utf16_len() as u64;
            }
            Block::Image(_) | Block::Other(_) => {}
        }
    }
    match message {
        Message::Bash(bash) => texts.extend([&bash.command, &bash.output]),
        Message::BranchSummary(text) | Message::CompactionSummary(text) => texts.push(text),
        Message::System(system) => texts.push(&system.content),
        _ => {}
    }
    let all = plain + texts.iter().map(|text| units(text)).sum::<u64>();
    let Some(cjk_per_token) = cjk else { return (all as f64 / per_token).ceil() as u64 };
    let is_cjk = |c: &char| {
        let ranges = [(0x3000, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF)];
        let more = [(0xFF00, 0xFFEF), (0x20000, 0x3FFFF)];
        ranges.iter().chain(&more).any(|&(from, to)| (from..=to).contains(&(*c as u32)))
    };
    let han = |text: &&Text| text.as_str().chars().filter(is_cjk).map(|c| c.len_utf16() as u64).sum::<u64>();
    let han: u64 = texts.iter().map(han).sum();
    (han as f64 / cjk_per_token + (all - han) as f64 / per_token).ceil() as u64
}

//! From the fields of a file to prompts that are filled in one pass.

use std::fmt::Write;
use std::sync::Arc;

use super::error::{TemplateError, nearest};
use super::file::{File, HeadingField, Section, Which};
use super::{Heading, Template};

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Fixed(String),
    Conversation,
    PreviousSummary,
    Focus,
}

impl Piece {
    pub(super) fn fixed_len(&self) -> usize {
        if let Self::Fixed(text) = self { text.len() } else { 0 }
    }
}

/// A prompt with the headings it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) pieces: Vec<Piece>,
    pub(super) headings: Vec<Heading>,
}

const NAMES: [&str; 5] = ["conversation", "previous_summary", "focus", "instructions", "headings"];

/// Checks the fields and compiles every prompt.
pub(super) fn template(file: File, origin: &str) -> Result<Template, TemplateError> {
    if file.name.trim().is_empty() {
        return Err(TemplateError::new(origin, "name", "it is empty", "give a short name, such as `my-template`"));
    }
    let prompt = |which, field| Compiler { file: &file, which, origin, field }.prompt();
    let prompts = [
        prompt(Which::Initial, "initial")?,
        prompt(Which::Update, "update")?,
        prompt(Which::Prefix, "prefix")?,
        prompt(Which::Branch, "branch")?,
    ];
    if prompts[0].is_none() {
        let hint = "add a table `[initial]` with a `prompt` that holds {conversation} and {headings}";
        return Err(TemplateError::new(origin, "initial.prompt", "it is missing", hint));
    }
    let focus = focus(file.focus.as_deref().unwrap_or("{focus}"), origin)?;
    let system = file.system.map(Arc::from);
    Ok(Template { name: file.name, about: file.about, source: file.source, system, focus, prompts })
}

/// The paragraph for the person's own words, before and after them.
fn focus(text: &str, origin: &str) -> Result<(String, String), TemplateError> {
    match text.split_once("{focus}") {
        Some((before, after)) if !after.contains("{focus}") => Ok((before.to_owned(), after.to_owned())),
        _ => Err(TemplateError::new(origin, "focus", "it must hold {focus} once", "such as \"Look at: {focus}\"")),
    }
}

struct Compiler<'f> {
    file: &'f File,
    which: Which,
    origin: &'f str,
    field: &'static str,
}

impl Compiler<'_> {
    fn prompt(&self) -> Result<Option<Prompt>, TemplateError> {
        let Some(section) = self.file.section(self.which) else { return Ok(None) };
        let Some(text) = &section.prompt else {
            return Err(self.error("prompt", "it is missing", "every table of a prompt needs its `prompt`"));
        };
        let headings = self.headings(section)?;
        let listed = list(&headings);
        let mut pieces = Vec::new();
        let mut asked = false;
        for token in tokens(text) {
            match token {
                Token::Name("instructions") => {
                    let Some(instructions) = &section.instructions else {
                        let hint = "set it, or take {instructions} out of the prompt";
                        return Err(self.error("instructions", "the prompt wants them, but there are none", hint));
                    };
                    for token in tokens(instructions) {
                        asked |= token == Token::Name("headings");
                        self.push(&mut pieces, token, &listed, "instructions")?;
                    }
                }
                token => {
                    asked |= token == Token::Name("headings");
                    self.push(&mut pieces, token, &listed, "prompt")?;
                }
            }
        }
        self.check(&pieces, asked)?;
        Ok(Some(Prompt { pieces, headings }))
    }

    fn push(&self, pieces: &mut Vec<Piece>, token: Token<'_>, list: &str, key: &str) -> Result<(), TemplateError> {
        let piece = match token {
            Token::Text(text) => Piece::Fixed(text.to_owned()),
            Token::Name("headings") => Piece::Fixed(list.to_owned()),
            Token::Name("conversation") => Piece::Conversation,
            Token::Name("previous_summary") => Piece::PreviousSummary,
            Token::Name("focus") => Piece::Focus,
            Token::Name(name) => {
                let hint = match nearest(name, NAMES) {
                    Some(near) if near != name => format!("did you mean {{{near}}}?"),
                    _ => format!("write {{{{{name}}}}} to print the word in braces"),
                };
                return Err(self.error(key, &format!("{{{name}}} cannot stand here"), &hint));
            }
        };
        if let (Piece::Fixed(text), Some(Piece::Fixed(last))) = (&piece, pieces.last_mut()) {
            last.push_str(text);
        } else {
            pieces.push(piece);
        }
        Ok(())
    }

    fn check(&self, pieces: &[Piece], asked: bool) -> Result<(), TemplateError> {
        let count = |piece: &Piece| pieces.iter().filter(|&other| other == piece).count();
        if count(&Piece::Conversation) != 1 {
            return Err(self.error("prompt", "it must hold {conversation} once", "best between tags of its own"));
        }
        match (self.which, count(&Piece::PreviousSummary)) {
            (Which::Update, 1) | (Which::Initial | Which::Prefix | Which::Branch, 0) => {}
            (Which::Update, _) => {
                let hint = "an update starts from the older summary; without it, leave `[update]` out";
                return Err(self.error("prompt", "it must hold {previous_summary} once", hint));
            }
            _ => {
                let hint = "only `[update]` has a previous summary";
                return Err(self.error("prompt", "{previous_summary} cannot stand here", hint));
            }
        }
        if !asked {
            let hint = "put {headings} into the prompt or its instructions";
            return Err(self.error("prompt", "it never asks for the headings", hint));
        }
        Ok(())
    }

    fn headings(&self, section: &Section) -> Result<Vec<Heading>, TemplateError> {
        let fields = section.heading.as_ref().or(self.file.heading.as_ref()).map_or(&[][..], Vec::as_slice);
        let mut headings: Vec<Heading> = Vec::with_capacity(fields.len());
        for field in fields.iter().filter(|field| !field.not_in.contains(&self.which)) {
            let print = field.print.trim();
            if print.is_empty() || print.contains('\n') || headings.iter().any(|other| &*other.print == print) {
                let problem = format!("{:?} is empty, longer than a line, or there twice", field.print);
                return Err(self.error("heading", &problem, "give every heading a line of its own, such as `## Goal`"));
            }
            headings.push(Heading { print: print.into(), asks: self.asks(field) });
        }
        if headings.is_empty() {
            let hint = "add `[[heading]]` tables with `print = \"## Goal\"` and `asks = \"...\"`";
            return Err(self.error("heading", "there is none", hint));
        }
        Ok(headings)
    }

    fn asks(&self, field: &HeadingField) -> Option<Arc<str>> {
        let update = field.update.as_ref().filter(|_| self.which == Which::Update);
        update.or(field.asks.as_ref()).map(|asks| asks.trim().into())
    }

    fn error(&self, key: &str, problem: &str, hint: &str) -> TemplateError {
        TemplateError::new(self.origin, &format!("{}.{key}", self.field), problem, hint)
    }
}

/// The headings as a prompt prints them: each with what it asks for on the next line.
fn list(headings: &[Heading]) -> String {
    let mut out = String::new();
    for (index, heading) in headings.iter().enumerate() {
        let gap = match index.checked_sub(1).map(|before| &headings[before].asks) {
            None => "",
            Some(None) => "\n",
            Some(Some(_)) => "\n\n",
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "{gap}{}", heading.print);
        if let Some(asks) = &heading.asks {
            let _ = write!(out, "\n{asks}");
        }
    }
    out
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// Splits a prompt at its placeholders. Other braces are text.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(open) = text[at..].find('{').map(|found| at + found) {
        at = open + 1;
        let word = text[at..].split(|c: char| c != '_' && !c.is_ascii_lowercase()).next().unwrap_or_default();
        let close = at + word.len();
        if word.is_empty() || !text[close..].starts_with('}') {
            continue;
        }
        let doubled = open > from && text[..open].ends_with('{') && text[close..].starts_with("}}");
        // `{{word}}` loses its outer braces; `{word}` becomes a placeholder.
        let (end, token) =
            if doubled { (open - 1, Token::Text(&text[open..=close])) } else { (open, Token::Name(word)) };
        if end > from {
            out.push(Token::Text(&text[from..end]));
        }
        out.push(token);
        from = close + 1 + usize::from(doubled);
        at = from;
    }
    if from < text.len() {
        out.push(Token::Text(&text[from..]));
    }
    out
}

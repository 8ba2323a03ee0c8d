//! Reads Rust source just well enough to see which paths it names: comments, texts and test code are blanked out, and
//! `use` trees are unfolded.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One source file of the crate, without its comments, texts and tests.
pub(crate) struct Source {
    /// Relative to the package: `src/engine/view.rs`.
    pub(crate) name: String,
    /// Its place in the crate: `["engine", "view"]`; none for `lib.rs` and `main.rs`.
    pub(crate) module: Vec<String>,
    /// Lines of the file outside `#[cfg(test)]` items.
    pub(crate) lines: usize,
    /// The code.
    pub(crate) code: String,
}

impl Source {
    /// The top-level module: `engine`; `lib` and `main` for the two roots.
    pub(crate) fn area(&self) -> &str {
        match self.module.first() {
            Some(first) => first,
            None => self.name.trim_start_matches("src/").trim_end_matches(".rs"),
        }
    }

    /// Every path the code names, unfolded, with its line. One that starts at the crate's root starts with `crate`.
    pub(crate) fn paths(&self) -> Vec<(usize, String)> {
        let tokens = tokens(&self.code);
        let (mut paths, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            let begins = is_name(tokens[at].1) && tokens.get(at + 1).is_some_and(|next| next.1 == "::");
            // `<T as Trait>::Item` goes on with a `::` that begins no path.
            at = match tokens[at].1 {
                "::" if at > 0 && tokens[at - 1].1 == ">" => at + 2,
                _ if begins => unfold(&tokens, at, &[], &mut paths),
                _ => at + 1,
            };
        }
        paths.into_iter().map(|(line, path)| (line, self.rooted(path).join("::"))).collect()
    }

    /// Names of the macros called, with their lines.
    pub(crate) fn macros(&self) -> Vec<(usize, String)> {
        let tokens = tokens(&self.code);
        tokens
            .windows(2)
            .filter(|two| two[1].1 == "!" && is_name(two[0].1))
            .map(|two| (two[0].0, two[0].1.into()))
            .collect()
    }

    /// Writes a path that climbs out of the top-level module, or names the library from outside, as one from the root.
    fn rooted(&self, path: Vec<&str>) -> Vec<String> {
        let climbed = path.iter().take_while(|segment| matches!(**segment, "self" | "super")).count();
        let supers = path[..climbed].iter().filter(|segment| **segment == "super").count();
        let rest = match path[0] {
            "cutpoint" => &path[1..],
            _ if supers > 0 && supers >= self.module.len() => &path[climbed..],
            _ => return path.into_iter().map(str::to_owned).collect(),
        };
        std::iter::once(&"crate").chain(rest).map(|segment| (*segment).to_owned()).collect()
    }
}

/// All sources under `src/`, without the files that hold only tests.
pub(crate) fn sources() -> Vec<Source> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&package.join("src"), &mut files);
    let mut tests = BTreeSet::new();
    let mut sources = Vec::new();
    for file in files {
        let relative = file.strip_prefix(package).unwrap();
        let source = parse(&relative.to_string_lossy(), &fs::read_to_string(&file).unwrap(), &mut tests);
        sources.push(source);
    }
    sources.retain(|source| !(1..=source.module.len()).any(|depth| tests.contains(&source.module[..depth])));
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
}

/// Reads one file. Modules that it declares for tests are added to `tests`.
pub(crate) fn parse(name: &str, text: &str, tests: &mut BTreeSet<Vec<String>>) -> Source {
    let path = name.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<String> = path.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    let mut code = without_comments(text);
    let mut lines = code.lines().count();
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = end_of_item(&code, start);
        let item = &code[start..end];
        lines -= item.lines().count();
        if let Some((_, declared)) = item.rsplit_once("mod ").filter(|_| item.ends_with(';')) {
            tests.insert(module.iter().cloned().chain([declared.trim_end_matches(';').to_owned()]).collect());
        }
        let blank: String = item.chars().filter(|c| *c == '\n').collect();
        code.replace_range(start..end, &blank);
    }
    Source { name: name.to_owned(), module, lines, code }
}

/// Where the item that begins at `start` ends: after its `;`, or after the brace that closes its first one.
fn end_of_item(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return start + at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return start + at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The text with comments and the insides of texts and characters taken out; line breaks stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let glued = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = raw_text(rest).filter(|_| !glued) {
            length
        } else if c == '"' {
            quoted(rest, '"')
        } else if c == '\'' {
            character(rest)
        } else {
            0
        };
        if skipped == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.push(' ');
            out.extend(rest[..skipped].chars().filter(|c| *c == '\n'));
            rest = &rest[skipped..];
        }
    }
    out
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        depth += step.0;
        at += step.1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Length of `r"…"`, `r#"…"#`, `br#"…"#`, when the text begins with one.
fn raw_text(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    let body = inner[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close).map_or(body.len(), |end| end + close.len());
    Some(text.len() - body.len() + end)
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a character literal; 0 for a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.chars().skip(1);
    match (chars.next(), chars.next()) {
        (Some('\\'), _) | (_, Some('\'')) => quoted(text, '\''),
        _ => 0,
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and single signs, each with its line.
fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (line, text) in code.lines().enumerate() {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = if rest.starts_with("::") { 2 } else { name.max(first.len_utf8()) };
            tokens.push((line + 1, &rest[..length]));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Unfolds the path at `at`, with its braces, onto `paths`; returns the place behind it.
fn unfold<'c>(
    tokens: &[(usize, &'c str)],
    at: usize,
    before: &[&'c str],
    paths: &mut Vec<(usize, Vec<&'c str>)>,
) -> usize {
    let mut path = before.to_vec();
    let mut next = at;
    let is = |at: usize, token: &str| tokens.get(at).is_some_and(|found| found.1 == token);
    while let Some(&(line, token)) = tokens.get(next) {
        if token == "{" {
            next += 1;
            while next < tokens.len() && !is(next, "}") {
                next = if is(next, ",") { next + 1 } else { unfold(tokens, next, &path, paths) };
            }
            return next + 1;
        }
        path.push(token);
        next += 1;
        if !is(next, "::") {
            paths.push((line, path));
            // `as other` in a use tree.
            return if is(next, "as") && !before.is_empty() { next + 2 } else { next };
        }
        next += 1;
    }
    next
}

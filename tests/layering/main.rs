//! The layering of `ARCHITECTURE.md`, read from the sources: which module may name which, and what each may touch.

#![expect(clippy::unwrap_used, reason = "sources that cannot be read are a failed test")]

mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::{Source, parse, sources};

/// The edges between top-level modules: who, whom, and why. A target may be a part of a module.
const EDGES: &[(&str, &[&str], &str)] = &[
    ("transcript", &[], "the model depends on nothing"),
    ("measure", &[], "a number with its unit is a leaf"),
    ("error", &[], "exit codes are a leaf"),
    ("digest", &[], "digests as text are a leaf"),
    ("import", &["transcript"], "files become transcripts"),
    ("export", &["import", "transcript"], "transcripts become files of other programs"),
    ("redact", &["transcript"], "a transcript without its secrets"),
    ("tokens", &["transcript"], "counts messages"),
    (
        "engine",
        &["transcript", "tokens", "digest"],
        "stages see the past and present of a transcript, no file, model or meter",
    ),
    (
        "llm",
        &["digest", "engine::summarize", "redact", "transcript::Tokens", "transcript::ToolSchema", "transcript::Usage"],
        "completes the requests of a summarizer, and their limits",
    ),
    ("replay", &["engine", "tokens", "transcript"], "drives a transcript through an engine"),
    ("outside", &["engine::estimate", "tokens", "transcript"], "estimators that are files or programs"),
    ("lab", &["engine", "replay", "stats", "tokens", "transcript"], "compares estimators on a corpus"),
    ("meter", &["replay", "tokens", "transcript", "measure", "digest"], "observes a replay; nothing of it flows back"),
    ("results", &["measure", "digest"], "what lies on disk knows nothing of how it was made"),
    (
        "experiment",
        &[
            "digest",
            "import",
            "tokens",
            "engine",
            "llm",
            "redact",
            "replay",
            "meter",
            "results",
            "measure",
            "transcript",
            "outside",
        ],
        "runs cells and records them",
    ),
    ("stats", &[], "numbers in, numbers out"),
    (
        "judge",
        &["digest", "engine::summarize", "meter::goal", "results", "stats", "transcript::Tokens"],
        "grades the summaries of a run folder",
    ),
    ("compare", &["results", "measure", "stats"], "two runs become a verdict; it reads only run folders"),
    (
        "report",
        &["results", "measure", "stats", "compare", "lab", "transcript::class"],
        "reads only the run folder, and a comparison of two",
    ),
    (
        "cli",
        &[
            "compare",
            "digest",
            "engine",
            "error",
            "experiment",
            "export",
            "import",
            "judge",
            "lab",
            "llm",
            "measure",
            "meter",
            "outside",
            "redact",
            "replay",
            "report",
            "results",
            "stats",
            "tokens",
            "transcript",
        ],
        "puts all together",
    ),
    ("main", &["cli"], "the binary is thin"),
    ("lib", &[], "the root declares the modules"),
];

/// What a path may not start with, but in the modules given.
const CONFINED: &[(&str, &[&str], &str)] = &[
    ("anyhow", &["cli"], "the library has typed errors"),
    ("clap", &["cli"], "only the command line has options"),
    ("indicatif", &["cli"], "only the command line shows progress"),
    ("tokio", &["llm"], "asynchronous code lives here alone"),
    ("hyper", &["llm"], "only models are asked over a network"),
    ("similar", &["llm"], "only requests are compared line by line"),
    (
        "tiktoken",
        &["tokens", "llm"],
        "exact counts, and the limit of the mock, which counts for itself as a model does",
    ),
    ("tokenizers", &["tokens"], "exact counts"),
    ("maud", &["report"], "only reports are HTML"),
    ("plotters", &["report"], "only reports have plots"),
    ("parquet", &["report"], "only reports are tables"),
    ("comfy_table", &["report"], "only reports have tables"),
];

/// Modules whose result must follow from their arguments alone.
const PURE: &[&str] = &["digest", "transcript", "tokens", "engine", "replay", "meter", "measure", "stats", "judge"];

/// What they may not touch: files, environment, clock, network, processes, chance, a runtime.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::time",
    "std::net",
    "std::process",
    "std::thread",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "rand",
    "fastrand",
    "getrandom",
    "tokio",
    "jiff",
    "chrono",
];

/// Macros that write to the terminal, which `cli` alone does.
const PRINTS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// Module names that say nothing.
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "misc", "imp", "common"];

/// Whether a path is the other one or lies below it.
fn below(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn assert_none(what: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{what}:\n  {}", faults.join("\n  "));
}

/// The faults of all paths, with their places.
fn faults(sources: &[Source], fault: impl Fn(&Source, &str) -> Option<String>) -> Vec<String> {
    let place = |source: &Source, line: usize, fault: String| format!("{}:{line}: {fault}", source.name);
    sources
        .iter()
        .flat_map(|source| source.paths().into_iter().map(move |(line, path)| (source, line, path)))
        .filter_map(|(source, line, path)| fault(source, &path).map(|fault| place(source, line, fault)))
        .collect()
}

/// What is wrong with a path, if it leads to another top-level module that the table does not allow.
fn edge(source: &Source, path: &str) -> Option<String> {
    let target = path.strip_prefix("crate::")?;
    let area = source.area();
    let (_, allowed, reason) = EDGES.iter().find(|(from, ..)| *from == area)?;
    let is_allowed = below(target, area) || allowed.iter().any(|to| below(target, to));
    (!is_allowed).then(|| format!("{area} -> {target} ({area}: {reason})"))
}

#[test]
fn no_edge_but_the_allowed_ones() {
    assert_none("edges that the architecture does not have", &faults(&sources(), edge));
}

/// What a row of the table of modules allows: names in code, `all`, or nothing.
fn allowed(column: &str) -> BTreeSet<&str> {
    if column.trim() != "all" {
        return column.split('`').skip(1).step_by(2).collect();
    }
    EDGES.iter().map(|(name, ..)| *name).filter(|name| !["cli", "main", "lib"].contains(name)).collect()
}

#[test]
fn the_architecture_says_the_same() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text.split_once("| module | holds | may use |\n").unwrap().1.split("\n\n").next().unwrap();
    let rows = table.lines().skip(1).map(|row| row.split('|').collect::<Vec<_>>());
    let said: BTreeMap<&str, BTreeSet<&str>> =
        rows.map(|row| (row[1].trim().trim_matches('`'), allowed(row[3]))).collect();
    let edges = EDGES.iter().filter(|(name, ..)| !["main", "lib"].contains(name));
    let edges: BTreeMap<&str, BTreeSet<&str>> =
        edges.map(|(name, to, _)| (*name, to.iter().copied().collect())).collect();
    assert_eq!(said, edges);
}

#[test]
fn every_module_has_its_rule() {
    let sources = sources();
    assert!(sources.len() > 100, "the sources were not found");
    let areas: BTreeSet<&str> = sources.iter().map(Source::area).collect();
    let rules: BTreeSet<&str> = EDGES.iter().map(|(from, ..)| *from).collect();
    assert_eq!(areas, rules, "top-level modules, and the table above");
}

#[test]
fn results_follow_from_arguments_alone() {
    let faults = faults(&sources(), |source, path| {
        let impure = PURE.contains(&source.area()) && IMPURE.iter().any(|root| below(path, root));
        impure.then(|| path.to_owned())
    });
    assert_none("files, clock, environment, processes, network or chance in a pure module", &faults);
}

#[test]
fn dependencies_stay_where_they_belong() {
    let faults = faults(&sources(), |source, path| {
        let (root, areas, reason) = CONFINED.iter().find(|(root, ..)| below(path, root))?;
        (!areas.contains(&source.area())).then(|| format!("{path} ({root} belongs to {areas:?}: {reason})"))
    });
    assert_none("dependencies outside their module", &faults);
}

#[test]
fn only_the_command_line_prints() {
    let prints = |source: &Source| {
        let at = |(line, name): (usize, String)| format!("{}:{line}: {name}!", source.name);
        source.macros().into_iter().filter(|(_, name)| PRINTS.contains(&&**name)).map(at).collect::<Vec<_>>()
    };
    let faults: Vec<String> = sources().iter().filter(|source| source.area() != "cli").flat_map(prints).collect();
    assert_none("output outside cli", &faults);
}

#[test]
fn files_are_short_and_named_for_what_they_hold() {
    let mut faults = Vec::new();
    for source in sources() {
        let limit = if source.name == "src/main.rs" { 40 } else { 600 };
        if source.lines > limit {
            faults.push(format!("{}: {} lines without tests, {limit} at most", source.name, source.lines));
        }
        if let Some(name) = source.module.iter().find(|name| EMPTY_NAMES.contains(&name.as_str())) {
            faults.push(format!("{}: `{name}` says nothing", source.name));
        }
    }
    assert_none("files", &faults);
}

/// The paths of a text that stands in `src/engine/pi/cut.rs`.
fn paths_of(text: &str) -> Vec<String> {
    parse("src/engine/pi/cut.rs", text, &mut BTreeSet::new()).paths().into_iter().map(|(_, path)| path).collect()
}

#[test]
fn the_reader_unfolds_use_trees() {
    let text = "use crate::{llm::{Memo as M, mock::*}, meter};\nfn f() -> crate::cli::X<std::fs::File> {}\n";
    let paths = ["crate::llm::Memo", "crate::llm::mock::*", "crate::meter", "crate::cli::X", "std::fs::File"];
    assert_eq!(paths_of(text), paths);
    // cut -> pi -> engine -> root: three steps leave the top-level module, two do not.
    assert_eq!(
        paths_of("use super::super::super::{meter, llm::Memo}; use super::super::view::Item;"),
        ["crate::meter", "crate::llm::Memo", "super::super::view::Item"]
    );
    assert_eq!(paths_of("let x = <A as B>::c::<::std::env::Args>();"), ["std::env::Args"]);
    assert_eq!(paths_of("use std::{env, fs::{self, File}};"), ["std::env", "std::fs::self", "std::fs::File"]);
}

#[test]
fn the_reader_skips_comments_texts_and_tests() {
    let text = r##"
        //! crate::a::A
        /* crate::b::B /* nested */ crate::c::C */
        const T: (&str, &str, char) = ("crate::d \" crate::e", r#"crate::f " crate::g"#, '"');
        fn f<'a>(x: &'a crate::kept::H) -> char { '\'' }
        #[cfg(test)]
        mod tests { fn g() { crate::i::I } }
        #[cfg(test)]
        #[allow(unused)]
        fn h() -> crate::j::J { loop {} }
        fn last() { crate::kept::K }
    "##;
    assert_eq!(paths_of(text), ["crate::kept::H", "crate::kept::K"]);
    let mut tests = BTreeSet::new();
    let source = parse("src/llm/mock.rs", "mod ask;\n#[cfg(test)]\nmod tests;\nfn f() {}\n", &mut tests);
    assert_eq!(source.lines, 2);
    assert_eq!(tests.into_iter().collect::<Vec<_>>(), [["llm", "mock", "tests"]]);
}

#[test]
fn the_rules_refuse_what_they_should() {
    let source = parse("src/engine/pi/cut.rs", "", &mut BTreeSet::new());
    assert!(edge(&source, "crate::engine::view::Item").is_none(), "its own module");
    assert!(edge(&source, "crate::transcript::Text").is_none());
    assert!(edge(&source, "crate::meter::Meter").is_some());
    assert!(edge(&source, "crate::*").is_some(), "a glob of the root hides what it takes");
    let llm = parse("src/llm/memo.rs", "", &mut BTreeSet::new());
    assert!(edge(&llm, "crate::engine::summarize::Completer").is_none());
    assert!(edge(&llm, "crate::engine::view::Item").is_some(), "only the types of a request");
}

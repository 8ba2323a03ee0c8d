//! Estimators: lengths of text, pathological input of the tokenizer, and a long list of messages beside its peers.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::engine::estimate::named::named;
use cutpoint::engine::estimate::outside::Inside;
use cutpoint::engine::view::Track;
use cutpoint::import::read_all;
use cutpoint::replay::EstimateTable;
use cutpoint::tokens::Reference;
use cutpoint::transcript::class::ContentClass;
use cutpoint::transcript::{EntryIdx, Text, Tokens, Transcript};

const MEGABYTE: usize = 1_000_000;

/// What length-based estimators cost per byte of text: measuring it once, after the lengths were compared with the plain ones.
fn lengths(criterion: &mut Criterion, texts: &[String]) {
    let long = texts.concat();
    let text = Text::new(long.as_str());
    assert_eq!(text.utf16_len(), long.encode_utf16().count());
    assert_eq!(text.char_len(), long.chars().count());
    let mut group = criterion.benchmark_group("lengths");
    group.throughput(Throughput::Bytes(long.len() as u64));
    group.bench_function("all three of one text", |bencher| {
        // The copy of the text is not the estimator's.
        bencher.iter_batched(
            || Box::<str>::from(long.as_str()),
            |text| black_box(Text::new(text)),
            BatchSize::LargeInput,
        );
    });
    group.bench_function("content class", |bencher| {
        bencher
            .iter(|| texts.iter().filter(|text| ContentClass::of_text(black_box(text)) == ContentClass::Code).count());
    });
    group.finish();
}

/// Every second letter of a fixed stream, as base64 has them.
fn base64() -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(DIGITS[usize::try_from(state >> 58).unwrap_or(0)])
    };
    (0..MEGABYTE).map(|_| next()).collect()
}

fn pathological(criterion: &mut Criterion) {
    let inputs = [
        ("one letter", "a".repeat(MEGABYTE)),
        ("spaces", " ".repeat(MEGABYTE)),
        ("line ends", "\n".repeat(MEGABYTE)),
        ("one sign", "=".repeat(MEGABYTE)),
        ("tabs", "\t".repeat(MEGABYTE)),
        ("a pair of letters", "ab".repeat(MEGABYTE / 2)),
        ("base64", base64()),
    ];
    let Some(referee) = tiktoken::get_encoding("o200k_base") else { return };
    let mut group = criterion.benchmark_group("a megabyte of");
    group.sample_size(10).throughput(Throughput::Bytes(MEGABYTE as u64));
    for (name, text) in &inputs {
        assert_eq!(Reference::O200kBase.count(text).0, referee.count(text) as u64, "{name}");
        group.bench_function(*name, |bencher| bencher.iter(|| Reference::O200kBase.count(black_box(text))));
    }
    group.finish();
}

/// All counts, and the cut that keeps 20,000 tokens, over counts that are there.
fn list(criterion: &mut Criterion, name: &str, transcript: &Transcript) {
    let mut group = criterion.benchmark_group(format!("estimates, {name}"));
    for estimator in ["chars/4", "bytes/4", "pi", "langchain", "codex", "gemini"] {
        let built = named(estimator).map(|spec| spec.build(&Inside)).ok().and_then(Result::ok);
        let Some(built) = built else { continue };
        group.bench_function(estimator, |bencher| {
            bencher.iter(|| EstimateTable::new(black_box(transcript), &*built));
        });
        let table = EstimateTable::new(transcript, &*built);
        let mut track = Track::default();
        (0..transcript.entries.len()).for_each(|at| track.push(table.entry(EntryIdx(at))));
        group.bench_function(format!("{estimator}, a further cut"), |bencher| {
            bencher.iter(|| black_box(&track).reaches_from(0..track.len(), Tokens(20_000)));
        });
    }
    group.finish();
}

fn all(criterion: &mut Criterion) {
    pathological(criterion);
    if let Some(bytes) = session::large_session() {
        let transcript = session::load(&bytes);
        lengths(criterion, &session::texts(&transcript));
        list(criterion, "large session", &transcript);
    }
    // A session of scripts/peers/generate.py.
    let Some(bytes) = std::env::var_os("CUTPOINT_PEERS").and_then(|path| std::fs::read(path).ok()) else { return };
    let mut group = criterion.benchmark_group("peers");
    group.sample_size(10);
    group.bench_function("load", |bencher| {
        bencher.iter(|| read_all(black_box(&bytes)).map_or(0, |(_, all)| all.len()));
    });
    group.finish();
    if let Some(imported) = read_all(&bytes).ok().and_then(|(_, all)| all.into_iter().next()) {
        list(criterion, "peers", &imported.transcript);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);

//! Counting with a reference tokenizer, and the mock.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::llm::Mock;
use cutpoint::tokens::{MessageTable, Reference};

/// All texts of the session, each on its own, on one thread; the crate that it is built on alone, after their counts were compared.
fn tokenizers(criterion: &mut Criterion, texts: &[String]) {
    let Some(alone) = tiktoken::get_encoding("o200k_base") else { return };
    for text in texts {
        assert_eq!(Reference::O200kBase.count(text).0, alone.count(text) as u64, "{text}");
    }
    let mut group = criterion.benchmark_group("o200k_base");
    group.sample_size(20).throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("cutpoint", |bencher| {
        bencher.iter(|| texts.iter().map(|text| Reference::O200kBase.count(black_box(text)).0).sum::<u64>());
    });
    group.bench_function("tiktoken alone", |bencher| {
        bencher.iter(|| texts.iter().map(|text| alone.count(black_box(text))).sum::<usize>());
    });
    group.finish();
}

fn all(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let transcript = session::load(&bytes);
    let texts = session::texts(&transcript);
    tokenizers(criterion, &texts);
    let mut group = criterion.benchmark_group("message table, all threads");
    group.sample_size(20).throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("large-session", |bencher| {
        bencher.iter(|| MessageTable::new(black_box(&transcript), Reference::O200kBase));
    });
    group.finish();
    let request = session::summary_request(&transcript);
    let mut group = criterion.benchmark_group("mock answer");
    group.sample_size(20).throughput(Throughput::Bytes(request.prompt.len() as u64));
    group.bench_function("large-session", |bencher| bencher.iter(|| Mock::default().answer(black_box(&request))));
    group.finish();
}

criterion_group!(benches, all);
criterion_main!(benches);

//! The simulator of prompt caches. The bar is 1 µs per block and request, whatever the text.
//!
//! A prompt grows by three blocks a request; every hundredth request its middle changes, as a compaction changes it, so
//! that breaks are among what is measured. Or every request changes a block near the end, as masking does: then every one
//! breaks. Blocks are hashed before: a request only mixes digests.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::meter::cache::{
    Block, Digest, Layer, Millis, PRESETS, Placement, Preset, Prompt, Request, Settings, Simulator, Sort,
};
use cutpoint::transcript::Tokens;

/// Sends requests and returns how many blocks all prompts had, and the tokens read, so that nothing is left out.
fn session(preset: &Preset, blocks: &[Block], requests: usize) -> (u64, u64) {
    let mut cache = Simulator::new(preset.rules);
    let mut prompt = Prompt::new(Settings::default());
    let (mut sent, mut read) = (0, 0);
    for (number, step) in blocks.chunks(3).take(requests).enumerate() {
        if number % 100 == 99 {
            prompt.truncate(prompt.len() / 2);
        }
        step.iter().for_each(|&block| prompt.push(block));
        let marks = preset.placement.place(&prompt);
        let at = Millis(i64::try_from(number).unwrap_or(0) * 20_000);
        read += cache.send(&Request::new(at, &prompt, &marks)).split.read.0;
        sent += prompt.len() as u64;
    }
    (sent, read)
}

/// As [`session`], but every request takes the last 60 blocks back and sends the first of them changed. Returns tokens read and
/// breaks.
fn masked(preset: &Preset, blocks: &[Block], requests: usize) -> (u64, usize) {
    let mut cache = Simulator::new(preset.rules);
    let mut prompt = Prompt::new(Settings::default());
    let (mut read, mut breaks) = (0, 0);
    for number in 0..requests {
        let from = prompt.len().saturating_sub(60);
        prompt.truncate(from);
        let mask = Digest::of(&["mask", &from.to_string()]);
        for (at, &block) in blocks.iter().enumerate().take((number + 1) * 3).skip(from) {
            prompt.push(if at < from + 3 && from > 0 { Block { digest: mask, ..block } } else { block });
        }
        let marks = preset.placement.place(&prompt);
        let at = Millis(i64::try_from(number).unwrap_or(0) * 20_000);
        let outcome = cache.send(&Request::new(at, &prompt, &marks));
        read += outcome.split.read.0;
        breaks += usize::from(outcome.missed.is_some());
    }
    (read, breaks)
}

fn made(count: usize) -> Vec<Block> {
    let sorts = [Sort::User, Sort::Assistant, Sort::Call];
    let block = |index: usize| Block {
        digest: Digest::of(&[&index.to_string()]),
        tokens: Tokens(700),
        layer: Layer::Messages,
        sort: sorts[index % 3],
    };
    (0..count).map(block).collect()
}

fn requests(criterion: &mut Criterion) {
    for preset in PRESETS {
        let mut group = criterion.benchmark_group(format!("cache/{}", preset.name));
        for count in [500, 2_000] {
            let blocks = made(count * 3);
            let (sent, read) = session(preset, &blocks, count);
            assert!(read > 0, "{} reads nothing", preset.name);
            group.throughput(Throughput::Elements(sent));
            let id = BenchmarkId::from_parameter(count);
            group.bench_function(id, |bencher| bencher.iter(|| session(preset, &blocks, count)));
        }
        group.finish();
    }
}

/// A request that breaks costs what stands behind the break, however long the prompt is: each size twice the one before.
fn masking(criterion: &mut Criterion) {
    for name in ["anthropic-5m", "openai-5.6", "vllm"] {
        let preset = PRESETS.iter().find(|preset| preset.name == name).expect("a preset");
        let mut group = criterion.benchmark_group(format!("cache/masked/{name}"));
        for count in [1_000, 2_000, 4_000, 8_000] {
            let blocks = made(count * 3);
            let (_, breaks) = masked(preset, &blocks, count);
            assert!(breaks > count / 2, "{name}: {breaks} breaks in {count} requests");
            group.throughput(Throughput::Elements(count as u64));
            let id = BenchmarkId::from_parameter(count);
            group.bench_function(id, |bencher| bencher.iter(|| masked(preset, &blocks, count)));
        }
        group.finish();
    }
}

/// What the placement costs alone.
fn placement(criterion: &mut Criterion) {
    let mut prompt = Prompt::new(Settings::default());
    made(6_000).into_iter().for_each(|block| prompt.push(block));
    criterion.bench_function("cache/placement", |bencher| bencher.iter(|| Placement::CLAUDE_CODE.place(&prompt)));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(std::time::Duration::from_millis(300)).measurement_time(std::time::Duration::from_millis(900));
    targets = requests, masking, placement
}
criterion_main!(benches);

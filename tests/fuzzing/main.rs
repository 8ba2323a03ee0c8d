//! No input makes an importer panic or run away: the corpus of `fuzz/`, and seeded mutations of it, through every
//! importer, and what they read through every writer.
//!
//! A few seconds as it stands. `CUTPOINT_FUZZ_SECONDS` makes it longer, `CUTPOINT_FUZZ_SEED` another,
//! `CUTPOINT_FUZZ_FILES` names a folder of further files. An input that fails is written to `target/fuzz-failures`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cutpoint::export::{Past, Target, write};
use cutpoint::import::{Format, Imported, sniff};

use mutate::Random;

/// Mutations of each file without a longer time, each read by the file's own importer and by one other.
const MUTATIONS: usize = 60;
/// A mutation of a small file takes a fraction of a millisecond; this is for busy machines.
const TOO_LONG: Duration = Duration::from_mins(5);

struct Seed {
    path: PathBuf,
    format: Option<Format>,
    bytes: Vec<u8>,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, found: &mut Vec<Seed>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.push(Seed { format: sniff(&bytes[..bytes.len().min(65_536)]), path, bytes });
        }
    }
}

fn corpus() -> Vec<Seed> {
    let mut found = Vec::new();
    files(&package().join("fuzz/corpus"), &mut found);
    found
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Reads `bytes` as `format`, and writes what was read. Panics are kept with their input.
fn try_one(format: Format, bytes: &[u8], from: &Path) {
    let began = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| {
        let _ = sniff(&bytes[..bytes.len().min(65_536)]);
        format.read(bytes).unwrap_or_default().iter().for_each(written);
    }));
    let slow = began.elapsed() > TOO_LONG;
    if done.is_ok() && !slow {
        return;
    }
    let folder = package().join("target/fuzz-failures");
    std::fs::create_dir_all(&folder).unwrap();
    let digest = bytes.iter().fold(0_u64, |hash, &byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let kept = folder.join(format!("{}-{digest:016x}", format.name()));
    std::fs::write(&kept, bytes).unwrap();
    let what = if slow { "took too long" } else { "panicked" };
    panic!("{} {what} on a mutation of {}, kept as {}", format.name(), from.display(), kept.display());
}

fn written(imported: &Imported) {
    for target in Target::ALL {
        for past in [Past::Recorded, Past::Full] {
            write(&imported.transcript, target, past, None, &mut std::io::sink()).unwrap();
        }
    }
}

#[test]
fn every_importer_has_a_corpus_that_it_reads() {
    let corpus = corpus();
    for &format in Format::ALL {
        let own: Vec<&Seed> =
            corpus.iter().filter(|seed| seed.path.parent().unwrap().ends_with(format.name())).collect();
        assert!(!own.is_empty(), "no file in fuzz/corpus/{}", format.name());
        for seed in own {
            assert_eq!(seed.format, Some(format), "{}", seed.path.display());
            let all = format.read(&seed.bytes).unwrap();
            assert!(all.iter().all(|one| !one.transcript.entries.is_empty()), "{}", seed.path.display());
            let findings: Vec<_> = all.iter().flat_map(|one| &one.findings).collect();
            assert!(findings.is_empty(), "{}: {findings:?}", seed.path.display());
            let target = package().join("fuzz/fuzz_targets").join(format!("{}.rs", format.name().replace('-', "_")));
            assert!(target.is_file(), "{}", target.display());
        }
    }
}

#[test]
fn the_corpus_is_read_by_every_importer() {
    for seed in corpus() {
        for &format in Format::ALL {
            try_one(format, &seed.bytes, &seed.path);
        }
    }
}

#[test]
fn no_cut_is_a_panic() {
    for seed in corpus() {
        let step = (seed.bytes.len() / 64).max(1);
        for end in (0..seed.bytes.len()).step_by(step) {
            try_one(seed.format.unwrap(), &seed.bytes[..end], &seed.path);
        }
    }
}

#[test]
fn no_mutation_is_a_panic() {
    let mut seeds = corpus();
    if let Some(folder) = std::env::var_os("CUTPOINT_FUZZ_FILES") {
        files(Path::new(&folder), &mut seeds);
    }
    let mut random = Random::new(number("CUTPOINT_FUZZ_SEED").unwrap_or(1));
    let until = number("CUTPOINT_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut tried = 0_u64;
    loop {
        for at in 0..seeds.len() {
            let rounds = if until.is_some() { 1 } else { MUTATIONS };
            for _ in 0..rounds {
                let other = random.below(seeds.len());
                let bytes = mutate::mutated(&seeds[at].bytes, &seeds[other].bytes, &mut random);
                let any = Format::ALL[random.below(Format::ALL.len())];
                for format in seeds[at].format.into_iter().chain([any]) {
                    try_one(format, &bytes, &seeds[at].path);
                }
                tried += 1;
            }
            if until.is_some_and(|until| Instant::now() > until) {
                break;
            }
        }
        if until.is_none_or(|until| Instant::now() > until) {
            break;
        }
    }
    assert!(tried >= seeds.len() as u64 || until.is_some(), "{tried}");
    if until.is_some() {
        eprintln!("{tried} mutations of {} files", seeds.len());
    }
}

//! Recorded dollars, reckoned again from the recorded usage and the price book.

#![allow(clippy::unwrap_used, reason = "a file of another shape is a failed test")]

mod common;

use std::path::Path;

use cutpoint::import::{Format, read_bytes, read_file};
use cutpoint::meter::cache::Split;
use cutpoint::meter::price::{PriceBook, Usd};
use cutpoint::transcript::{EntryKind, Message, Reply, Tokens, Transcript};

fn replies(transcript: &Transcript) -> impl Iterator<Item = &Reply> {
    transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some(&**reply),
        _ => None,
    })
}

/// Replies with a recorded cost, and the sums of recorded and reckoned dollars.
fn compare(transcript: &Transcript, exact: f64) -> (usize, Usd, Usd) {
    let book = PriceBook::builtin().unwrap();
    let mut sums = (0, Usd::default(), Usd::default());
    for reply in replies(transcript) {
        let Some(usage) = reply.usage else { continue };
        let Some(cost) = usage.cost.filter(|cost| cost.total > 0.0) else { continue };
        let row = book.find(&reply.model, None).unwrap_or_else(|| panic!("no price of {}", reply.model));
        let bill = row.bill(&Split::from(&usage), Tokens(usage.output));
        assert!((bill.total().0 - cost.total).abs() < exact, "{}: {bill:?} {cost:?}", reply.model);
        sums = (sums.0 + 1, sums.1 + Usd(cost.total), sums.2 + bill.total());
    }
    sums
}

#[test]
fn pi_sessions_cost_what_they_recorded() {
    let Some(shared) = common::shared() else { return };
    for (file, replies) in [("pi-v1-large-session.jsonl", 439), ("pi-v1-before-compaction.jsonl", 471)] {
        let transcript = read_file(shared.join("transcripts/pi").join(file)).unwrap().transcript;
        let (count, recorded, reckoned) = compare(&transcript, 1e-9);
        assert_eq!(count, replies, "{file}");
        assert!((recorded - reckoned).0.abs() < 0.005, "{file}: {recorded:?} {reckoned:?}");
    }
}

#[test]
fn a_deepseek_trajectory_costs_what_it_recorded() {
    let Some(shared) = common::shared() else { return };
    let file = "transcripts/mini-swe-agent/mini-swe-django-11797-deepseek-chat.traj.json";
    let transcript = read_file(shared.join(file)).unwrap().transcript;
    let (count, recorded, reckoned) = compare(&transcript, 1e-9);
    assert_eq!(count, 156);
    assert!((recorded - reckoned).0.abs() < 0.000_001, "{recorded:?} {reckoned:?}");
}

/// A field case: writes for an hour cost more, and the usage tells them apart.
#[test]
fn writes_for_an_hour_have_their_own_price() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases");
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let file = "cost-1h-writes.claude.jsonl";
    let numbers = &index["cases"].as_array().unwrap().iter().find(|case| case["file"] == file).unwrap()["numbers"];
    let prices = "[[row]]\nname = 'case'\nmodels = ['model-b']\ninput = 3.0\nread = 0.3\nwrite = 3.75\nwrite_long = 6.0\n\
                  output = 15.0\nsource = 'the case'\ndate = '2026-01-05'";
    let book = PriceBook::parse(prices, "case").unwrap();
    let row = book.find("model-b", None).unwrap();
    let transcript = read_bytes(&std::fs::read(folder.join(file)).unwrap(), Format::ClaudeCode).unwrap().transcript;
    let bill = |split: fn(&Split) -> Split| -> f64 {
        let usages = replies(&transcript).filter_map(|reply| reply.usage);
        usages.map(|usage| row.bill(&split(&Split::from(&usage)), Tokens(usage.output)).total()).sum::<Usd>().0
    };
    let near = |have: f64, want: &serde_json::Value| (have - want.as_f64().unwrap()).abs() < 1e-9;
    assert!(near(bill(|split| *split), &numbers["correct"]));
    let all_short = |split: &Split| Split { write: split.write + split.write_long, write_long: Tokens(0), ..*split };
    assert!(near(bill(all_short), &numbers["wrong_all_5m"]));
}

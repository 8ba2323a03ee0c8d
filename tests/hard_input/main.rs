//! Hard input for every format.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod faults;

use std::path::Path;

use cutpoint::import::{Format, read_all, sniff};
use faults::{Fault, SAMPLES};

#[test]
fn print() {
    for sample in SAMPLES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(sample.name);
        let text = std::fs::read_to_string(path).unwrap();
        let (format, base) = read_all(text.as_bytes()).unwrap();
        let count =
            |all: &[cutpoint::import::Imported]| all.iter().map(|one| one.transcript.entries.len()).sum::<usize>();
        println!("{} {} entries {}", sample.name, format.name(), count(&base));
        for &fault in Fault::ALL {
            let Some(bytes) = fault.put(sample, &text) else { continue };
            let sniffed = sniff(&bytes[..bytes.len().min(65536)]).map(Format::name);
            match read_all(&bytes) {
                Ok((f, all)) => {
                    let findings: Vec<String> = all
                        .iter()
                        .flat_map(|one| &one.findings)
                        .map(|f| format!("{}@{}:{:?}", f.kind.name(), f.line, f.column))
                        .collect();
                    println!(
                        "   {fault:?} {} entries {} {findings:?}",
                        if f == format { "" } else { f.name() },
                        count(&all)
                    );
                }
                Err(error) => println!("   {fault:?} ERROR {sniffed:?} {error}"),
            }
        }
    }
}

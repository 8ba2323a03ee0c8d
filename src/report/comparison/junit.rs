//! `JUnit` XML: a suite per strategy and setting, a case per gate, and one for critical items.

use maud::{PreEscaped, html};

use super::super::text::visible;
use super::{difference, lines, number, title};
use crate::compare::{Comparison, Judged, Verdict};

pub(super) fn render(comparison: &Comparison) -> String {
    let of = |verdict| comparison.gates.iter().filter(|gate| gate.verdict == verdict).count();
    let skipped = of(Verdict::Inconclusive) + of(Verdict::Void);
    let has_critical = comparison.critical().next().is_some();
    let failures = of(Verdict::Regress) + usize::from(has_critical);
    let xml = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name="cutpoint compare" tests=(comparison.gates.len() + 1) failures=(failures) skipped=(skipped) {
            testsuite name="cutpoint" tests=(comparison.gates.len() + 1) failures=(failures) skipped=(skipped) {
                @for gate in &comparison.gates {
                    testcase classname=(visible(&title(gate))) name=(visible(&gate.measure)) {
                        @match gate.verdict {
                            Verdict::Pass => {}
                            Verdict::Regress => failure message=(visible(&gate.reason)) { (details(gate)) }
                            Verdict::Inconclusive | Verdict::Void => {
                                skipped message=(format!("{}: {}", gate.verdict.name(), visible(&gate.reason))) {}
                            }
                        }
                    }
                }
                testcase classname="critical items" name="newly lost" {
                    @if has_critical {
                        failure message=(visible(&comparison.reason)) { (critical(comparison)) }
                    }
                }
            }
        }
    };
    xml.into_string() + "\n"
}

fn details(gate: &Judged) -> String {
    let of = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| number(gate, value));
    let worse = difference(gate).unwrap_or_default();
    let (base, head, margin) = (of(gate.base_mean), of(gate.head_mean), of(gate.margin));
    format!("mean {base} → {head}, worse by {worse}, margin {margin}, n {}", gate.n)
}

fn critical(comparison: &Comparison) -> String {
    let line = |item: &crate::compare::LostItem| {
        format!(
            "{} · {}, {}: {} ({} → {})",
            item.strategy,
            item.transcript,
            lines(item),
            item.text,
            item.base_fate,
            item.head_fate
        )
    };
    visible(&comparison.critical().map(line).collect::<Vec<_>>().join("\n")).into_owned()
}

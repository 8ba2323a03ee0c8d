//! The report for a comment on a pull request.

use cutpoint::report::{Markdown, ReportModel, Reporter};

use super::fixture;

#[test]
fn the_answers_stand_above_the_table() {
    let run = fixture::run();
    let mut out = Vec::new();
    Markdown.render(&ReportModel::new(&run), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for answer in [
        "- Least loss per dollar: **pi**, goal-loss 0.250 for $0.5000 a session.\n",
        "- The estimate fails most on **log**: chars/4 counts \u{2212}50.0 %.\n",
        "- A compaction costs $0.1025 once and 78,100 tokens of the cached prefix on average, over 4.\n",
        "- tail-only on refactor-parser, said at line 4: what never-touch-generated-files means\n",
    ] {
        assert!(text.contains(answer), "{answer}\n{text}");
    }
    assert!(text.find("Least loss per dollar").unwrap() < text.find("| strategy |").unwrap());
}

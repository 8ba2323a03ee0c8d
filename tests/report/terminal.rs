//! The table on a terminal.

use cutpoint::report::{ReportModel, Reporter, Terminal};

use super::fixture;

fn table(width: usize) -> String {
    let run = fixture::run();
    let mut out = Vec::new();
    Terminal { width }.render(&ReportModel::new(&run), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn eighty_columns() {
    insta::assert_snapshot!(table(80));
}

#[test]
fn no_line_is_wider_than_asked() {
    for width in [40, 48, 60, 80, 100, 200] {
        for line in table(width).lines() {
            assert!(line.chars().count() <= width, "{} columns for {width}: {line}", line.chars().count());
        }
    }
}

#[test]
fn hostile_names_send_no_control_characters() {
    let mut run = fixture::run();
    for cell in &mut run.cells {
        cell.strategy = fixture::HOSTILE.to_owned();
        cell.model = fixture::HOSTILE.to_owned();
    }
    let mut out = Vec::new();
    Terminal::default().render(&ReportModel::new(&run), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_mock_is_labelled_and_a_void_is_a_dash() {
    let table = table(120);
    assert!(table.starts_with("MOCK"));
    let none = table.lines().find(|line| line.starts_with("none")).unwrap();
    assert!(none.contains('–'), "{none}");
}

//! Every number of the pages is that of a CSV file, and is shown as it is, up to its last decimal.

use std::collections::BTreeMap;

use cutpoint::report::{CsvFile, Html, ReportModel, Reporter};

use super::{against, fixture};

type Rows = Vec<BTreeMap<String, String>>;

fn rendered(reporter: &dyn Reporter, model: &ReportModel) -> String {
    let mut out = Vec::new();
    reporter.render(model, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn files(model: &ReportModel) -> BTreeMap<&'static str, Rows> {
    let rows = |file: &CsvFile| {
        csv::Reader::from_reader(rendered(file, model).as_bytes()).deserialize().map(Result::unwrap).collect()
    };
    CsvFile::of(model).iter().map(|file| (file.name(), rows(file))).collect()
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    Some(tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0)
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// A number of a page: its file, row and column, the value behind it, and what is shown.
struct Shown {
    file: String,
    row: usize,
    column: String,
    value: String,
    text: String,
}

/// The numbers that name a file and a row, and how many do not.
fn numbers(page: &str) -> (Vec<Shown>, usize) {
    // Files and rows that enclosing elements name.
    let mut open: Vec<(&str, Option<&str>, Option<&str>)> = Vec::new();
    let (mut found, mut others) = (Vec::new(), 0);
    let body = page.split_once("<body").unwrap().1.split_once("<script>").unwrap().0;
    for piece in body.split('<').skip(1) {
        let Some((tag, text)) = piece.split_once('>') else { continue };
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().map(|(name, ..)| name), Some(name));
            continue;
        }
        let name = tag.split([' ', '\n']).next().unwrap();
        if tag.ends_with('/') {
            continue;
        }
        open.push((name, attribute(tag, "data-csv"), attribute(tag, "data-row")));
        if name != "data" {
            continue;
        }
        let (file, row) = (open.iter().rev().find_map(|one| one.1), open.iter().rev().find_map(|one| one.2));
        match (file, row) {
            (Some(file), Some(row)) => found.push(Shown {
                file: file.to_owned(),
                row: row.parse().unwrap(),
                column: unescaped(attribute(tag, "data-c").unwrap()),
                value: attribute(tag, "value").unwrap().to_owned(),
                text: text.to_owned(),
            }),
            _ => others += 1,
        }
    }
    (found, others)
}

/// Whether the text is the number, rounded to the decimals that are shown.
fn is_rounded(text: &str, value: f64) -> bool {
    let plain = text.replace([',', '+'], "").replace('\u{2212}', "-");
    let decimals = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let half = 0.5 * 10.0_f64.powi(-i32::try_from(decimals).unwrap());
    (plain.parse::<f64>().unwrap() - value).abs() <= half * (1.0 + 1e-9)
}

#[test]
fn numbers_of_the_page_are_those_of_the_files() {
    let (run, base) = (against::head(), against::base_of(&against::head()));
    let comparison = against::compared(&base, &run);
    let model = ReportModel::new(&run).against(&base.manifest, &comparison);
    let files = files(&model);
    let unit = |file: &str, row: usize, column: &str| {
        let described = files["columns.csv"].iter().find(|row| row["file"] == file && row["column"] == column);
        let unit = described.unwrap_or_else(|| panic!("{file} has no column {column}"))["unit"].clone();
        if unit == "see unit" { files[file][row]["unit"].clone() } else { unit }
    };
    let (found, _) = numbers(&rendered(&Html, &model));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for shown in &found {
        let Shown { file, row, column, value, text } = shown;
        assert_eq!(&files[file.as_str()][*row][column], value, "{file}, row {row}, {column}");
        let scale = if unit(file, *row, column) == "ratio" { 100.0 } else { 1.0 };
        assert!(
            is_rounded(text, value.parse::<f64>().unwrap() * scale),
            "{file}, row {row}, {column}: {value} as {text}"
        );
        *seen.entry(file.clone()).or_default() += 1;
    }
    for file in [
        "verdicts.csv",
        "judgements.csv",
        "strategies.csv",
        "contrasts.csv",
        "pareto.csv",
        "cells.csv",
        "compactions.csv",
        "transcripts.csv",
        "gates.csv",
        "moved.csv",
        "classes.csv",
    ] {
        assert!(seen.get(file).is_some_and(|&count| count > 3), "{file}: {seen:?}");
    }
}

#[test]
fn the_sizes_below_a_plot_are_those_of_the_requests() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let files = files(&model);
    let page = rendered(&Html, &model);
    let mut checked = 0;
    for table in page.split("<th scope=\"col\" class=\"num\">Request</th>").skip(1) {
        let (head, rest) = table.split_once("</thead>").unwrap();
        let cells: Vec<&str> =
            head.split(" data-cell=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect();
        for row in rest.split_once("</tbody>").unwrap().0.split("<tr>").skip(1) {
            let request = row.split_once("class=\"num\">").unwrap().1.split_once('<').unwrap().0;
            for (cell, field) in cells.iter().zip(row.split("<td").skip(1)) {
                let value = attribute(field, "value").unwrap();
                let found = files["requests.csv"].iter().find(|row| row["cell"] == *cell && row["request"] == request);
                assert_eq!(found.unwrap()["reference_tokens"], value, "{cell}, request {request}");
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 3 * (60 + 24));
}

#[test]
fn the_stacked_prompts_are_those_of_the_requests() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let files = files(&model);
    let page = rendered(&Html, &model);
    let mut checked = 0;
    for table in page.split("<table class=\"exact\" data-cell=\"").skip(1) {
        let (cell, rest) = table.split_once('"').unwrap();
        for row in rest.split_once("</tbody>").unwrap().0.split_once("<tbody>").unwrap().1.split("<tr>").skip(1) {
            let shown: Vec<String> = row
                .split('>')
                .filter_map(|piece| piece.split_once('<'))
                .map(|(text, _)| text.replace(',', ""))
                .filter(|text| !text.is_empty())
                .collect();
            let found =
                files["requests.csv"].iter().find(|one| one["cell"] == cell && one["request"] == shown[0]).unwrap();
            let expected = ["request", "cache_read_tokens", "cache_write_tokens", "cache_plain_tokens"]
                .map(|name| found[name].clone());
            assert_eq!(shown, expected, "{cell}");
            checked += 1;
        }
    }
    assert_eq!(checked, 2 * (60 + 24));
}

#[test]
fn no_field_of_a_number_is_bare() {
    let run = fixture::run();
    let page = rendered(&Html, &ReportModel::new(&run));
    for table in page.split("<table").skip(1).filter(|table| table.split_once('>').unwrap().0.contains("data-csv")) {
        let body = table.split_once("</table>").unwrap().0;
        for field in body.split("<td class=\"num").skip(1).map(|field| field.split_once("</td>").unwrap().0) {
            assert!(field.contains("<data ") || field.starts_with(" void"), "{field}");
        }
    }
}

#[test]
fn rounding_is_checked() {
    assert!(is_rounded("1,235", 1234.5) && is_rounded("\u{2212}17.5", -17.46) && is_rounded("+0.1", 0.14));
    assert!(!is_rounded("1,234", 1235.0) && !is_rounded("0.05", 0.056) && !is_rounded("17.5", -17.5));
}

//! The report in Markdown, short enough for a comment on a pull request.

use std::fmt::Write as _;
use std::io::Write;

use super::model::{Aggregate, Setting, StrategyRow, Verdict};
use super::number::{Format, count, unit_label};
use super::text::{for_markdown as safe, shortened};
use super::{ComparisonForm, ReportError, ReportModel, Reporter};

/// `report.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Markdown;

/// Columns of the table: those of the terminal that come first.
const COLUMNS: u8 = 7;
/// Critical items that are named.
const NAMED: usize = 10;

impl Reporter for Markdown {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let manifest = &model.run.manifest;
        let mut text = format!("## {}\n\n", safe(&manifest.experiment));
        if model.mock {
            text.push_str("> **MOCK summaries**: they say nothing about a real model.\n\n");
        }
        let done = model.cells.len() as u64;
        if done < manifest.cells {
            line(&mut text, &format!("> **Not complete**: {done} of {} cells.\n", manifest.cells));
        }
        if let Some(against) = model.against {
            text.push_str(&ComparisonForm::Markdown.render(against.comparison));
            text.push('\n');
        }
        for verdict in &model.verdicts {
            section(&mut text, model, verdict);
        }
        text.push_str("A number is a mean over lineages, with its 95 % interval in brackets or, below five lineages, the least … the greatest. – is void.\n");
        for caveat in &manifest.caveats {
            line(&mut text, &format!("- {}", safe(caveat)));
        }
        out.write_all(text.as_bytes())?;
        Ok(())
    }
}

/// Writing to a string cannot fail.
fn line(text: &mut String, content: &str) {
    let _ = writeln!(text, "{content}");
}

fn title(setting: &Setting<'_>) -> String {
    format!(
        "{}, window {} tokens, history {}",
        safe(setting.model),
        count(setting.window_tokens),
        safe(setting.history)
    )
}

fn section(text: &mut String, model: &ReportModel, verdict: &Verdict<'_>) {
    line(text, &format!("### {}\n", title(&verdict.setting)));
    let name = |label: usize| safe(&model.labels[label]);
    if let (Some(best), Some(loss)) = (verdict.best, verdict.best_loss) {
        let sure: Vec<String> =
            verdict.contrasts.iter().filter(|one| one.is_significant()).map(|one| name(one.label)).collect();
        let significant = if sure.is_empty() {
            format!("no difference to the other {} is significant", verdict.contrasts.len())
        } else {
            format!("significantly less than {}", sure.join(", "))
        };
        let loss = Format::Score.write(loss);
        line(
            text,
            &format!(
                "Least goal-loss: **{}**, {loss} over {} lineages; {significant}.\n",
                name(best),
                verdict.lineages
            ),
        );
    }
    answers(text, model, verdict);
    table(text, model, &verdict.setting);
    if !verdict.critical.is_empty() {
        line(text, &format!("Critical items lost: {}\n", verdict.critical.len()));
        for loss in verdict.critical.iter().take(NAMED) {
            let cell = &model.cells[loss.cell];
            let known =
                model.details[model.detail_of[loss.cell]].annotations.iter().find(|known| known.item == loss.item);
            let said = shortened(known.map_or(loss.item, |known| &known.text), 100);
            let lines =
                known.map_or(&[][..], |known| &known.lines).iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            let place = if lines.is_empty() { String::new() } else { format!(", said at line {lines}") };
            line(text, &format!("- {} on {}{place}: {}", name(cell.label), safe(&cell.record.transcript), safe(&said)));
        }
        line(text, "");
    }
}

/// What else the page begins with: the best for its price, where the estimate fails, what a compaction costs.
fn answers(text: &mut String, model: &ReportModel, verdict: &Verdict<'_>) {
    if let Some(best) = model.most_per_usd(&verdict.setting) {
        let (loss, cost) = (Format::Score.write(best.goal_loss), Format::Dollars.write(best.cost));
        let name = safe(&model.labels[best.label]);
        line(text, &format!("- Least loss per dollar: **{name}**, goal-loss {loss} for ${cost} a session."));
    }
    let worst = verdict.worst_class.map(|at| (at, &model.classes.rows[at]));
    if let Some((at, row, error)) = worst.and_then(|(at, row)| Some((at, row, row.error?))) {
        let (class, error) = (safe(row.class), Format::SignedPercent.write(error));
        let name = |at: usize| safe(model.classes.estimators[model.classes.rows[at].estimator]);
        let tied: Vec<String> = model.classes.tied(at).into_iter().map(name).collect();
        let counts = if tied.len() == 1 { "counts" } else { "count" };
        line(text, &format!("- The estimate fails most on **{class}**: {} {counts} {error} %.", tied.join(" and ")));
    }
    if let Some(worst) = &verdict.worst_compaction {
        let priced = verdict.priced_in_part().map_or_else(String::new, |priced| format!(" (of {priced} with a price)"));
        let dollars = verdict
            .dearest_compaction
            .map(|it| format!("${} once{priced} and ", Format::Dollars.write(it.mean_one_time_usd)));
        let (dollars, tokens) = (dollars.unwrap_or_default(), Format::Whole.write(worst.mean_invalidated_tokens));
        line(
            text,
            &format!(
                "- A compaction costs {dollars}{tokens} tokens of the cached prefix on average, over {}.",
                worst.count
            ),
        );
    }
    line(text, "");
}

fn table(text: &mut String, model: &ReportModel, setting: &Setting<'_>) {
    let columns: Vec<_> = model.columns.iter().filter(|column| column.rank < COLUMNS).collect();
    let heads: Vec<String> = columns
        .iter()
        .map(|column| {
            let unit = model.definition(column.measure).map_or("", unit_label);
            format!("{}: {} ({})", column.group, column.head, safe(unit))
        })
        .collect();
    line(text, &format!("| strategy | {} |", heads.join(" | ")));
    line(text, &format!("|---|{}", "---:|".repeat(columns.len())));
    for row in model.strategies.iter().filter(|row| row.setting == *setting) {
        let fields: Vec<String> = columns.iter().map(|column| field(row, column.measure)).collect();
        line(text, &format!("| {} | {} |", safe(&model.labels[row.label]), fields.join(" | ")));
    }
    line(text, "");
}

fn field(row: &StrategyRow<'_>, name: &str) -> String {
    let Some((aggregate, mean)) = row.measures.get(name).and_then(|value| Some((value, value.value?))) else {
        return "–".to_owned();
    };
    let partial = if aggregate.voids > 0 {
        format!(", n {}/{}", aggregate.n, aggregate.n + aggregate.voids)
    } else {
        String::new()
    };
    format!("{}{}{partial}", aggregate.format.write(mean), spread(aggregate))
}

fn spread(aggregate: &Aggregate<'_>) -> String {
    let write = |value| aggregate.format.write(value);
    match (&aggregate.interval, aggregate.range()) {
        (Ok(interval), _) => format!(" [{}, {}]", write(interval.low), write(interval.high)),
        (Err(_), Some((least, greatest))) if aggregate.units.len() > 1 => {
            format!(" ({} … {})", write(least), write(greatest))
        }
        _ => String::new(),
    }
}

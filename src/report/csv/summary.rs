//! The files about strategies: what the pages show first.

use std::borrow::Cow;
use std::io::Write;

use ::csv::Writer;

use super::super::model::{Aggregate, Contrast, ParetoPanel, Setting};
use super::super::{ReportError, ReportModel};
use super::columns::{Described, Fixed, direction};
use super::{maybe, word};

const KEY: [Fixed; 4] = [
    ("strategy", "text", "Name of the strategy in the report."),
    ("model", "text", "Name of the model."),
    ("window_tokens", "tokens", "Context window."),
    ("history", "text", "full or recorded."),
];

pub(super) const STRATEGIES: [Fixed; 2] = [
    ("cells", "count", "Cells of the strategy in this setting."),
    ("mock", "true or false", "A mock wrote some of its summaries."),
];

pub(super) const ESTIMATES: [Fixed; 15] = [
    ("measure", "text", "Name of the measure; what it means is listed under cells.csv."),
    ("unit", "text", "Its unit."),
    ("direction", "text", "lower, higher or neutral: which way is better."),
    ("mean", "see unit", "Mean over lineages; empty when it is void."),
    ("low", "see unit", "Lower bound of its interval; empty when there is none."),
    ("high", "see unit", "Upper bound."),
    ("confidence", "ratio", "Confidence of the interval."),
    ("method", "text", "How the interval was made; percentile when bootstrap-t had no finite bound."),
    ("no_interval", "text", "Why there is none; empty when there is one."),
    ("least", "see unit", "The least lineage."),
    ("greatest", "see unit", "The greatest lineage."),
    ("lineages", "count", "Lineages that have a number."),
    ("cells", "count", "Cells that have a number."),
    ("void_cells", "count", "Cells that have none."),
    ("sum", "see unit", "Sum over cells; empty where adding up means nothing."),
];

pub(super) const CONTRASTS: [Fixed; 13] = [
    ("against", "text", "The strategy that loses least, which every other one is compared with."),
    ("difference", "score", "Mean over lineages of goal-loss less that of the other; above 0 it loses more."),
    ("low", "score", "Lower bound of the interval of the difference; empty when there is none."),
    ("high", "score", "Upper bound."),
    ("least", "score", "The least difference of a lineage."),
    ("greatest", "score", "The greatest."),
    ("lineages", "count", "Lineages that both have."),
    ("better_lineages", "count", "Of them, those where it loses less."),
    ("tied_lineages", "count", "Those without a difference."),
    ("worse_lineages", "count", "Those where it loses more."),
    ("p", "probability", "Two-sided sign-flip test; empty without a lineage in common."),
    ("adjusted_p", "probability", "The same, adjusted by Holm over all contrasts of the setting."),
    ("minimum_detectable", "score", "The least difference that so many lineages find with a power of 80 %."),
];

pub(super) const PARETO: [Fixed; 7] = [
    ("cost_measure", "text", "What goal-loss is set against."),
    ("cost", "see cost_measure", "Its mean over lineages, over the cells that have both numbers."),
    ("goal_loss", "score", "Mean goal-loss over the same cells."),
    ("cells", "count", "Cells that have both."),
    ("left_out_cells", "count", "Cells that lack one."),
    (
        "kept_per_usd",
        "score per usd",
        "What is not lost (1 less goal-loss) for a dollar; empty where the cost is not in dollars, or there is none.",
    ),
    (
        "in_set",
        "true or false",
        "No other strategy is at least as good in both and better in one; empty where it has both for fewer lineages than others.",
    ),
];

pub(super) const TRANSCRIPTS: [Fixed; 9] = [
    ("transcript", "text", "Name of the transcript."),
    ("lineage", "text", "Transcripts that share an origin; the unit of statistics."),
    ("sha256", "text", "SHA-256 of the file."),
    ("format", "text", "The format it was read as."),
    ("messages", "count", "Messages on the path."),
    ("requests", "count", "Requests on the path."),
    ("reference_tokens", "tokens", "Reference tokens of all messages."),
    ("head_tokens", "tokens", "System prompt and tool schemas; empty when they are unknown."),
    ("findings", "count", "Findings of the import."),
];

/// The columns of a file about strategies.
pub(super) fn columns(own: &[Fixed]) -> Vec<Described> {
    KEY.iter().chain(own).map(Described::fixed).collect()
}

/// The columns of `strategies.csv`: five per measure.
pub(super) fn wide_columns(model: &ReportModel) -> Vec<Described> {
    let mut all = columns(&STRATEGIES);
    for def in &model.measures {
        let parts = [
            ("", "Mean over lineages. "),
            ("_low", "Lower bound of its 95 % interval. "),
            ("_high", "Upper bound of its 95 % interval. "),
            ("_least", "Its least lineage. "),
            ("_greatest", "Its greatest lineage. "),
        ];
        all.extend(parts.map(|(suffix, what)| Described {
            name: Cow::Owned(format!("{}{suffix}", def.name)),
            unit: Cow::Owned(def.unit.clone()),
            about: Cow::Owned(format!("{what}{}", def.about)),
        }));
    }
    all
}

fn key(model: &ReportModel, label: usize, setting: &Setting<'_>) -> [String; 4] {
    [word(&model.labels[label]), word(setting.model), setting.window_tokens.to_string(), word(setting.history)]
}

/// The five numbers of a measure.
fn numbers(aggregate: Option<&Aggregate<'_>>) -> [Option<f64>; 5] {
    let Some(aggregate) = aggregate else { return [None; 5] };
    let interval = aggregate.interval.as_ref().ok();
    let range = aggregate.range();
    [
        aggregate.value,
        interval.map(|interval| interval.low),
        interval.map(|interval| interval.high),
        range.map(|(least, _)| least),
        range.map(|(_, greatest)| greatest),
    ]
}

pub(super) fn strategies(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for row in &model.strategies {
        let fields = [row.cells.to_string(), row.mock.to_string()];
        let values = model.measures.iter().flat_map(|def| numbers(row.measures.get(&def.name)).map(maybe));
        csv.write_record(key(model, row.label, &row.setting).into_iter().chain(fields).chain(values))?;
    }
    Ok(())
}

pub(super) fn estimates(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for row in &model.strategies {
        for def in &model.measures {
            let Some(aggregate) = row.measures.get(&def.name) else { continue };
            let about = [word(&def.name), word(&def.unit), direction(def.direction).to_owned()];
            csv.write_record(key(model, row.label, &row.setting).into_iter().chain(about).chain(estimate(aggregate)))?;
        }
    }
    Ok(())
}

fn estimate(aggregate: &Aggregate<'_>) -> [String; 12] {
    let [mean, low, high, least, greatest] = numbers(Some(aggregate)).map(maybe);
    let interval = aggregate.interval.as_ref();
    [
        mean,
        low,
        high,
        maybe(interval.ok().map(|interval| interval.resampling.confidence)),
        interval.map_or_else(|_| String::new(), |interval| interval.method.name().to_owned()),
        interval.err().cloned().unwrap_or_default(),
        least,
        greatest,
        aggregate.units.len().to_string(),
        aggregate.n.to_string(),
        aggregate.voids.to_string(),
        maybe(aggregate.sum),
    ]
}

pub(super) fn contrasts(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for verdict in &model.verdicts {
        let Some(best) = verdict.best else { continue };
        for contrast in &verdict.contrasts {
            let fields = contrast_fields(contrast);
            let key = key(model, contrast.label, &verdict.setting).into_iter().chain([word(&model.labels[best])]);
            csv.write_record(key.chain(fields))?;
        }
    }
    Ok(())
}

fn contrast_fields(contrast: &Contrast) -> [String; 12] {
    let paired = contrast.paired.as_ref();
    let interval = paired.and_then(|paired| paired.interval.as_ref().ok());
    [
        maybe(paired.map(|paired| paired.differences.mean)),
        maybe(interval.map(|interval| interval.low)),
        maybe(interval.map(|interval| interval.high)),
        maybe(paired.map(|paired| paired.differences.least)),
        maybe(paired.map(|paired| paired.differences.greatest)),
        maybe(paired.map(|paired| paired.differences.n)),
        maybe(paired.map(|paired| paired.below)),
        maybe(paired.map(|paired| paired.ties)),
        maybe(paired.map(|paired| paired.above)),
        maybe(paired.map(|paired| paired.sign_flip.p)),
        maybe(contrast.adjusted_p),
        maybe(paired.and_then(|paired| paired.minimum_detectable)),
    ]
}

pub(super) fn pareto(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for panel in &model.pareto {
        let ParetoPanel { setting, axis, points, .. } = panel;
        for point in points {
            let fields = [
                axis.measure.to_owned(),
                point.cost.to_string(),
                point.goal_loss.to_string(),
                point.n.to_string(),
                point.left_out.to_string(),
                maybe(panel.kept_per_usd(point)),
                maybe(point.is_comparable.then_some(point.in_set)),
            ];
            csv.write_record(key(model, point.label, setting).into_iter().chain(fields))?;
        }
    }
    Ok(())
}

pub(super) fn transcripts(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for record in &model.run.manifest.transcripts {
        csv.write_record([
            word(&record.name),
            word(&record.lineage),
            word(&record.sha256),
            word(&record.format),
            record.messages.to_string(),
            record.requests.to_string(),
            record.reference_tokens.to_string(),
            maybe(record.head_tokens),
            record.findings.values().sum::<u64>().to_string(),
        ])?;
    }
    Ok(())
}

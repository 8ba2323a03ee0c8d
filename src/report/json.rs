//! The numbers of the report as one JSON document, for programs. What is void is `null` with its reasons beside it.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::model::{Aggregate, Contrast, ParetoPanel, Setting, StrategyRow, Verdict};
use super::{ReportError, ReportModel, Reporter};

/// Version of the document.
const SCHEMA: u32 = 1;

/// `report.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json;

impl Reporter for Json {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let manifest = &model.run.manifest;
        let document = json!({
            "schema": SCHEMA,
            "generator": manifest.generator,
            "experiment": manifest.experiment,
            "config_sha256": manifest.config_sha256,
            "reference": manifest.reference,
            "mock": model.mock,
            "cells": { "planned": manifest.cells, "done": model.cells.len() },
            "caveats": manifest.caveats,
            "measures": manifest.measures,
            "verdicts": model.verdicts.iter().map(|one| verdict(model, one)).collect::<Vec<_>>(),
            "strategies": model.strategies.iter().map(|row| strategy(model, row)).collect::<Vec<_>>(),
            "pareto": model.pareto.iter().map(|panel| pareto(model, panel)).collect::<Vec<_>>(),
            "against": model.against.map(|against| json!({ "base": against.base.experiment, "comparison": against.comparison })),
        });
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")?;
        Ok(())
    }
}

fn setting(setting: &Setting<'_>) -> Value {
    json!({ "model": setting.model, "window_tokens": setting.window_tokens, "history": setting.history })
}

fn names(model: &ReportModel, labels: &[usize]) -> Vec<String> {
    labels.iter().map(|&label| model.labels[label].clone()).collect()
}

fn strategy(model: &ReportModel, row: &StrategyRow<'_>) -> Value {
    let measures: Map<String, Value> =
        row.measures.iter().map(|(name, aggregate)| (name.clone(), measure(aggregate))).collect();
    json!({
        "strategy": model.labels[row.label],
        "setting": setting(&row.setting),
        "mimics": row.first.mimics,
        "estimator": row.first.estimator,
        "summarizer": row.first.summarizer,
        "mock": row.mock,
        "cells": row.cells,
        "measures": measures,
    })
}

fn measure(aggregate: &Aggregate<'_>) -> Value {
    let lineages: Map<String, Value> =
        aggregate.units.iter().map(|(lineage, value)| ((*lineage).to_owned(), json!(value))).collect();
    json!({
        "mean": aggregate.value,
        "sum": aggregate.sum,
        "interval": aggregate.interval.as_ref().ok().map(|interval| json!({
            "low": interval.low, "high": interval.high, "method": interval.method.name(),
        })),
        "no_interval": aggregate.interval.as_ref().err(),
        "lineages": lineages,
        "cells": aggregate.n,
        "void_cells": aggregate.voids,
        "void_reasons": aggregate.reasons,
    })
}

fn verdict(model: &ReportModel, verdict: &Verdict<'_>) -> Value {
    let critical = verdict.critical.iter().map(|loss| {
        let cell = model.cells[loss.cell].record;
        json!({ "cell": cell.cell, "strategy": cell.strategy, "transcript": cell.transcript, "item": loss.item, "fate": loss.fate })
    });
    json!({
        "setting": setting(&verdict.setting),
        "least_goal_loss": verdict.best.map(|label| &model.labels[label]),
        "goal_loss": verdict.best_loss,
        "lineages": verdict.lineages,
        "contrasts": verdict.contrasts.iter().map(|one| contrast(model, one)).collect::<Vec<_>>(),
        "not_compared": names(model, &verdict.incomparable),
        // Of none that could be lost it is not known whether any would be.
        "critical_lost": (verdict.scored.critical > 0).then(|| critical.collect::<Vec<_>>()),
    })
}

fn contrast(model: &ReportModel, contrast: &Contrast) -> Value {
    let paired = contrast.paired.as_ref();
    json!({
        "strategy": model.labels[contrast.label],
        "lineages": paired.map(|paired| paired.differences.n),
        "difference": paired.map(|paired| paired.differences.mean),
        "low": paired.and_then(|paired| paired.interval.as_ref().ok()).map(|interval| interval.low),
        "high": paired.and_then(|paired| paired.interval.as_ref().ok()).map(|interval| interval.high),
        "p": paired.map(|paired| paired.sign_flip.p),
        "adjusted_p": contrast.adjusted_p,
        "significant": contrast.is_significant(),
    })
}

fn pareto(model: &ReportModel, panel: &ParetoPanel<'_>) -> Value {
    let points = panel.points.iter().map(|point| {
        json!({
            "strategy": model.labels[point.label], "cost": point.cost, "goal_loss": point.goal_loss,
            "cells": point.n, "in_set": point.in_set,
        })
    });
    json!({
        "setting": setting(&panel.setting),
        "cost": panel.axis.measure,
        "points": points.collect::<Vec<_>>(),
        "without_a_point": names(model, &panel.absent),
    })
}

//! Reading an experiment file with everything that it names.

use std::path::{Path, PathBuf};

use anyhow::Context;
use toml::Value;

use crate::experiment::Experiment;

/// Reads an experiment. Paths in it are meant from where the file lies; globs become the files that match; a template that is a
/// file becomes its text, so that the record of a run holds everything.
pub(super) fn read(path: &Path) -> anyhow::Result<Experiment> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut experiment = Experiment::parse(&text, &path.display().to_string())?;
    let base = path.parent().unwrap_or_else(|| Path::new(""));
    experiment.transcripts = transcripts(&experiment.transcripts, base)?;
    experiment.cache.prices = experiment.cache.prices.map(|prices| base.join(prices));
    super::template::read_files(&mut experiment.strategies, base)?;
    for (field, values) in &mut experiment.grid {
        for value in values {
            let Value::String(name) = value else { continue };
            match &**field {
                "summarizer.template" => *name = super::template::text_of(name, base)?,
                "cache.prices" => *name = base.join(&*name).to_string_lossy().into_owned(),
                _ => {}
            }
        }
    }
    experiment.check().map_err(|error| error.placed(&text, &path.display().to_string()))?;
    Ok(experiment)
}

/// Files, folders, `embedded:NAME`, and globs. A glob that matches nothing is an error: it would leave transcripts out silently.
fn transcripts(named: &[PathBuf], base: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in named {
        let text = path.to_string_lossy();
        if text.starts_with("embedded:") {
            found.push(path.clone());
        } else if text.contains(['*', '?', '[']) && !base.join(path).exists() {
            let pattern = base.join(path);
            let all = glob::glob(&pattern.to_string_lossy()).with_context(|| format!("{text} is no pattern"))?;
            let before = found.len();
            for entry in all {
                found.push(entry?);
            }
            anyhow::ensure!(
                found.len() > before,
                "no file matches {}\nhint: paths are meant from where the experiment file lies",
                pattern.display()
            );
        } else {
            found.push(base.join(path));
        }
    }
    Ok(found)
}

//! Templates of a user's own: read here, because stages read no files, and carried in the experiment as their text.

use std::path::Path;

use anyhow::Context;

use crate::engine::template::{Choice, Template};
use crate::experiment::{OwnStrategy, StrategyConfig};

/// Names have no extension, and a text has line breaks.
fn is_file(template: &str) -> bool {
    !template.contains('\n') && Path::new(template).extension().is_some_and(|extension| extension == "toml")
}

/// The template that an option names: a name stays, a file becomes its text.
fn named(template: &str, base: &Path) -> anyhow::Result<String> {
    if !is_file(template) {
        Choice::named(template)?;
        return Ok(template.to_owned());
    }
    let path = base.join(template);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Template::parse(&text, &path.display().to_string())?;
    // The line break at the end tells a text from a name.
    Ok(text + "\n")
}

/// Gives strategies another template, where they ask a model at all; their names say so.
pub(super) fn replace(strategies: Vec<StrategyConfig>, template: &str) -> anyhow::Result<Vec<StrategyConfig>> {
    let text = named(template, Path::new(""))?;
    let label = Path::new(template).file_stem().map_or(template.into(), |stem| stem.to_string_lossy());
    let one = |strategy: StrategyConfig| {
        let (name, _, spec) = strategy.resolve()?;
        if spec.template().is_none() {
            return Ok(strategy);
        }
        let (name, stages) = (format!("{name}+{label}"), spec.with_template(&text));
        Ok(StrategyConfig::Own(Box::new(OwnStrategy { name, stages })))
    };
    strategies.into_iter().map(one).collect()
}

/// Reads the template files that the strategies of an experiment name, from where its file lies.
pub(super) fn read_files(strategies: &mut [StrategyConfig], base: &Path) -> anyhow::Result<()> {
    for strategy in strategies {
        let StrategyConfig::Own(own) = strategy else { continue };
        let file = own.stages.template().filter(|name| is_file(name));
        if let Some(text) = file.map(|file| named(file, base)).transpose()? {
            own.stages = own.stages.clone().with_template(&text);
        }
    }
    Ok(())
}

//! `cutpoint list`: what can be chosen.

use std::io::{self, Write};

use super::args::{ListArgs, Listed};
use crate::engine::preset::presets;
use crate::engine::registry::{CUTS, Descriptor, EDITS, ESTIMATORS, RECOVERIES, SUMMARIZERS, TRIGGERS};
use crate::engine::template::Template;
use crate::experiment::EMBEDDED;
use crate::import::Format;
use crate::meter::definitions;
use crate::tokens::Reference;

const ALL: [Listed; 9] = [
    Listed::Presets,
    Listed::Estimators,
    Listed::Triggers,
    Listed::Cuts,
    Listed::Templates,
    Listed::Datasets,
    Listed::Formats,
    Listed::Tokenizers,
    Listed::Measures,
];

pub(super) fn list(args: &ListArgs) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if let Some(name) = &args.show {
        anyhow::ensure!(
            matches!(args.what, None | Some(Listed::Templates)),
            "only templates can be shown whole\nhint: cutpoint list templates --show {name}"
        );
        out.write_all(Template::builtin_file(name)?.as_bytes())?;
        return Ok(());
    }
    let chosen = args.what.map_or_else(|| ALL.to_vec(), |what| vec![what]);
    for (index, what) in chosen.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        section(*what, &mut out)?;
    }
    Ok(())
}

fn section(what: Listed, out: &mut impl Write) -> anyhow::Result<()> {
    match what {
        Listed::Presets => list_presets(out),
        Listed::Estimators => descriptors("Estimators", ESTIMATORS, out),
        Listed::Triggers => descriptors("Triggers", TRIGGERS, out),
        Listed::Cuts => {
            descriptors("Cuts", CUTS, out)?;
            descriptors("\nEdits", EDITS, out)?;
            descriptors("\nSummarizers", SUMMARIZERS, out)?;
            descriptors("\nRecoveries", RECOVERIES, out)
        }
        Listed::Templates => templates(out),
        Listed::Datasets => datasets(out),
        Listed::Formats => {
            writeln!(out, "Formats")?;
            Format::ALL.iter().try_for_each(|format| row(format.name(), format.about(), out))
        }
        Listed::Tokenizers => {
            writeln!(out, "Tokenizers")?;
            Reference::ALL.iter().try_for_each(|reference| row(reference.name(), "exact, inside the program", out))
        }
        Listed::Measures => {
            writeln!(out, "Measures")?;
            definitions().iter().try_for_each(|def| row(&def.name, &format!("[{}] {}", def.unit, def.about), out))
        }
    }
}

fn row(name: &str, about: &str, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "  {name:<22} {about}")?;
    Ok(())
}

fn descriptors(title: &str, all: &[Descriptor], out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{title}")?;
    for descriptor in all {
        row(descriptor.name, descriptor.about, out)?;
        if !descriptor.parameters.is_empty() {
            row("", &format!("parameters: {}", descriptor.parameters), out)?;
        }
        row("", &format!("source: {}", descriptor.source), out)?;
    }
    Ok(())
}

fn list_presets(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "Presets")?;
    for preset in presets() {
        row(preset.name, preset.about, out)?;
        if let Some(mimics) = preset.mimics {
            row("", &format!("mimics: {mimics}"), out)?;
        }
        row("", &format!("source: {}", preset.source), out)?;
    }
    Ok(())
}

fn templates(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "Templates")?;
    for name in Template::names() {
        let template = Template::builtin(name)?;
        row(name, template.about(), out)?;
        row("", &format!("source: {}", template.source()), out)?;
    }
    Ok(())
}

fn datasets(out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "Datasets")?;
    for dataset in EMBEDDED {
        row(dataset.name, &format!("embedded:{}", dataset.name), out)?;
    }
    Ok(())
}

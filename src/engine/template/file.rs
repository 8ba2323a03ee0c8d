//! The fields of a template file.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::builtin;
use super::error::{TemplateError, nearest};

/// A template file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) source: String,
    extends: Option<String>,
    pub(super) system: Option<String>,
    pub(super) focus: Option<String>,
    pub(super) initial: Option<Section>,
    pub(super) update: Option<Section>,
    pub(super) prefix: Option<Section>,
    pub(super) branch: Option<Section>,
    pub(super) heading: Option<Vec<HeadingField>>,
}

/// One prompt.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    pub(super) prompt: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) heading: Option<Vec<HeadingField>>,
}

/// One heading.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadingField {
    pub(super) print: String,
    pub(super) asks: Option<String>,
    pub(super) update: Option<String>,
    #[serde(default)]
    pub(super) not_in: Vec<Which>,
}

/// A prompt, as a file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Which {
    Initial,
    Update,
    Prefix,
    Branch,
}

impl File {
    pub(super) fn read(toml: &str, origin: &str) -> Result<Self, TemplateError> {
        read(toml, origin)
    }

    /// Takes the fields that are not set from the template that is extended.
    pub(super) fn resolved(self, origin: &str) -> Result<Self, TemplateError> {
        let Some(base) = &self.extends else { return Ok(self) };
        // Only built-in templates can be extended, so the chain is short and has no loop.
        let base = builtin::file(base).map_err(|e| TemplateError::new(origin, "extends", e.problem, e.hint))?;
        Ok(Self {
            system: self.system.or(base.system),
            focus: self.focus.or(base.focus),
            initial: Section::over(self.initial, base.initial),
            update: Section::over(self.update, base.update),
            prefix: Section::over(self.prefix, base.prefix),
            branch: Section::over(self.branch, base.branch),
            heading: self.heading.or(base.heading),
            ..self
        })
    }

    pub(super) fn section(&self, which: Which) -> Option<&Section> {
        match which {
            Which::Initial => self.initial.as_ref(),
            Which::Update => self.update.as_ref(),
            Which::Prefix => self.prefix.as_ref(),
            Which::Branch => self.branch.as_ref(),
        }
    }
}

impl Section {
    fn over(own: Option<Self>, base: Option<Self>) -> Option<Self> {
        match (own, base) {
            (Some(own), Some(base)) => Some(Self {
                prompt: own.prompt.or(base.prompt),
                instructions: own.instructions.or(base.instructions),
                heading: own.heading.or(base.heading),
            }),
            (own, base) => own.or(base),
        }
    }
}

fn read<T: DeserializeOwned>(toml: &str, origin: &str) -> Result<T, TemplateError> {
    toml::from_str(toml).map_err(|error| {
        let line = error.span().map(|span| 1 + memchr::memchr_iter(b'\n', &toml.as_bytes()[..span.start]).count());
        let origin = line.map_or_else(|| origin.to_owned(), |line| format!("{origin}:{line}"));
        let problem = error.message().trim().to_owned();
        // serde quotes the unknown field first and the known ones after it.
        let mut quoted = problem.split('`').skip(1).step_by(2);
        let field = quoted.next().map(str::to_owned);
        let hint = match field.as_deref().and_then(|field| nearest(field, quoted)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`name`, `about`, `source`, `[initial] prompt` and `[[heading]] print` make a template".to_owned(),
        };
        TemplateError { origin, field, problem, hint }
    })
}

//! Typed entities of a text: what can be asked for by name and is right or wrong to the letter.
//!
//! One extractor serves recorded messages, summaries and the continuation, for all strategies alike, so that none of them
//! can be written in the format that it likes best. Its rules carry a version, which every record names. A second one, which
//! shares no rule with it, tells whether a result is one of the rules.

mod chunks;
mod dead;
mod index;
mod rules;
mod scan;

pub(crate) use dead::Outcome;
pub use index::EntityIndex;
pub(crate) use index::{EntityId, Place, Use};
pub(crate) use rules::is_unit;
pub use scan::{Entity, extract};

/// Version of the rules: figures of different versions are not comparable. The second took in dead ends and typography.
pub const EXTRACTOR: &str = "entities-2";

/// Which rules find entities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extractor {
    /// Typed entities, by the form of each kind.
    #[default]
    Typed,
    /// The second one: chunks that look like names.
    Chunks,
}

impl Extractor {
    /// Its name, with the version of its rules.
    pub fn version(self) -> &'static str {
        match self {
            Self::Typed => EXTRACTOR,
            Self::Chunks => "chunks-1",
        }
    }

    /// Calls `each` with every entity of `text`, in order.
    pub fn extract<'t>(self, text: &'t str, each: impl FnMut(Entity<'t>)) {
        match self {
            Self::Typed => extract(text, each),
            Self::Chunks => chunks::extract(text, each),
        }
    }
}

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A file or folder: `src/feeder/loader.rs`.
    Path,
    /// A name in code: `FEEDER_OFFLINE`, `loadTray`, `std::fs`.
    Symbol,
    /// An option of a command: `--offline`.
    Flag,
    /// An error by name or code: `E0308`, `ValueError`, `ENOENT`.
    Error,
    /// A hash, or a number that names something: `9f3c2ab`, `T-77`.
    Id,
    /// An address.
    Url,
    /// A number with its unit, or one that is long enough to be no accident: `37 ms`, `0.040`, `167000`.
    Number,
    /// A setting: `worst=0.040`.
    Setting,
    /// Words in backticks that are more than one: a command line, mostly.
    Command,
    /// Anything that looks like a name, to the second extractor, which knows no kinds.
    Chunk,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Path,
        Self::Symbol,
        Self::Flag,
        Self::Error,
        Self::Id,
        Self::Url,
        Self::Number,
        Self::Setting,
        Self::Command,
        Self::Chunk,
    ];

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Symbol => "symbol",
            Self::Flag => "flag",
            Self::Error => "error",
            Self::Id => "id",
            Self::Url => "url",
            Self::Number => "number",
            Self::Setting => "setting",
            Self::Command => "command",
            Self::Chunk => "chunk",
        }
    }

    /// How much a lost one hurts, beside the others: an exact value that nothing else tells weighs most. Our own choice.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Self::Path | Self::Id | Self::Url | Self::Error | Self::Chunk => 1.0,
            Self::Symbol | Self::Setting | Self::Command => 0.8,
            Self::Number | Self::Flag => 0.6,
        }
    }
}

//! The datasets that are part of the program.

/// A dataset, as its files.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// Its name: the folder under `datasets/`.
    pub name: &'static str,
    /// `session.jsonl`.
    pub session: &'static str,
    /// `dataset.toml`.
    pub dataset: &'static str,
    /// `items.toml`.
    pub items: &'static str,
}

macro_rules! dataset {
    ($name:literal) => {
        Embedded {
            name: $name,
            session: include_str!(concat!("../../datasets/", $name, "/session.jsonl")),
            dataset: include_str!(concat!("../../datasets/", $name, "/dataset.toml")),
            items: include_str!(concat!("../../datasets/", $name, "/items.toml")),
        }
    };
}

/// All of them, in the order of their names.
pub const EMBEDDED: &[Embedded] =
    &[dataset!("chinese-invoice"), dataset!("debug-flaky-cache"), dataset!("feature-offline-mode")];

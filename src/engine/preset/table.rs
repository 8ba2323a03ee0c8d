//! The table of presets in the documentation, made from the registry.

use std::fmt::Write;

use super::presets;

/// `docs/presets.md`: every preset with what it mimics, its stages, its source and where it differs.
pub fn table() -> String {
    let mut out =
        "# Presets\n\nMade from the registry by `CUTPOINT_WRITE_DOCS=1 cargo test --lib preset`; a test compares.\n\n\
                   | preset | what it does | mimics | source, and where it differs |\n|---|---|---|---|\n"
            .to_owned();
    for preset in presets() {
        let mimics = preset.mimics.unwrap_or("–");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| `{}` | {} | {mimics} | {} |", preset.name, preset.about, preset.source);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_documentation_is_made_from_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/presets.md");
        if std::env::var_os("CUTPOINT_WRITE_DOCS").is_some() {
            std::fs::write(path, super::table()).unwrap();
        }
        assert!(std::fs::read_to_string(path).unwrap() == super::table(), "CUTPOINT_WRITE_DOCS=1 writes it again");
    }
}

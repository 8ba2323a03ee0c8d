//! Unified diffs: what follows a hunk header, up to the first line that no hunk holds.

/// Where in a diff the reader is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DiffState {
    inside: bool,
}

impl DiffState {
    /// Whether the next line belongs to a diff.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        if is_header(line) {
            self.inside = true;
            return true;
        }
        // An empty line is an empty line of context whose blank an editor removed.
        self.inside &= line.is_empty() || line.starts_with(['+', '-', ' ', '\\']);
        self.inside
    }
}

fn is_header(line: &str) -> bool {
    const STARTS: [&str; 5] = ["diff --git ", "--- a/", "+++ b/", "*** Begin Patch", "*** Update File: "];
    STARTS.iter().any(|start| line.starts_with(start))
        || (line.starts_with("@@") && line.len() > 2 && (line.contains("@@ ") || line.ends_with("@@")))
        || (line.starts_with("index ") && line.contains(".."))
        || line.starts_with("--- /dev/null")
        || line.starts_with("+++ /dev/null")
}

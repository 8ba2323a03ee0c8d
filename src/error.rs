//! Exit codes.

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Pass,
    /// The head of a comparison is worse.
    Regress,
    /// Wrong usage or configuration.
    Usage,
    /// A comparison that cannot tell; or stopped before the end: what is finished is kept, and is not the whole.
    Inconclusive,
    /// There was nothing to compare.
    Void,
    /// The input could not be read.
    BadInput,
    /// A bug of the program.
    Bug,
}

impl Exit {
    /// The code.
    pub fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Regress => 1,
            Self::Usage => 2,
            Self::Inconclusive => 3,
            Self::Void => 4,
            Self::BadInput => 5,
            Self::Bug => 70,
        }
    }
}

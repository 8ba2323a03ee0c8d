//! What is judged, and what each grade means.

/// The six dimensions, by which compressed contexts of coding agents are often judged; the anchors are our own.
const DIMENSIONS: [(&str, &str, [&str; 6]); 6] = [
    (
        "accuracy",
        "Are the facts that the text states right?",
        [
            "most stated facts are wrong",
            "several important facts are wrong",
            "one important fact is wrong",
            "details are wrong, important facts are right",
            "one detail is imprecise",
            "every stated fact is right",
        ],
    ),
    (
        "context_awareness",
        "Does the text say where the work stands now?",
        [
            "nothing of the present state",
            "a hint of it",
            "the state, in part stale",
            "the state, with important gaps",
            "the state, with small gaps",
            "the whole present state",
        ],
    ),
    (
        "artifact_trail",
        "Does the text say which files were read, made or changed, and how?",
        [
            "no file is named",
            "few files are named",
            "half of the files, or names without what was done",
            "most files, some without what was done",
            "all important files with what was done",
            "every file with what was done",
        ],
    ),
    (
        "completeness",
        "Does the text hold the facts of the reference?",
        [
            "none of them",
            "few of them",
            "about half of them",
            "most of them",
            "all but unimportant ones",
            "all of them",
        ],
    ),
    (
        "continuity",
        "Could the work go on from the text alone?",
        [
            "not at all",
            "only after all is explored again",
            "with much looked up again",
            "with some looked up again",
            "with a detail looked up again",
            "at once",
        ],
    ),
    (
        "instruction_following",
        "Does the text keep the rules that the person gave, as they were given?",
        [
            "rules are turned round",
            "most rules are missing",
            "important rules are missing",
            "rules are there, but weakened",
            "all important rules are there",
            "every rule is there as it was given",
        ],
    ),
];

/// The grades of the strict rubric.
const STRICT: [&str; 3] = [
    "the text does not state the fact, states it wrongly or the other way round, or says that it is not sure",
    "the text states a part of the fact, and nothing wrong",
    "the text states the whole fact, in whatever words",
];

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rubric {
    /// One fact that is known to be right, 2, 1 or 0.
    Strict,
    /// A dimension of the whole text, 0 to 5; by its place in the list.
    Dimension(usize),
}

/// A grade and what it means.
pub type Anchor = (u8, &'static str);

impl Rubric {
    /// The six dimensions.
    pub fn dimensions() -> impl Iterator<Item = Self> {
        (0..DIMENSIONS.len()).map(Self::Dimension)
    }

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Dimension(at) => DIMENSIONS[at].0,
        }
    }

    /// The rubric of a name.
    pub fn named(name: &str) -> Option<Self> {
        std::iter::once(Self::Strict).chain(Self::dimensions()).find(|rubric| rubric.name() == name)
    }

    /// The question that it asks of a text.
    pub fn question(self) -> &'static str {
        match self {
            Self::Strict => "Does the text state the fact?",
            Self::Dimension(at) => DIMENSIONS[at].1,
        }
    }

    /// Its grades, ascending.
    pub fn anchors(self) -> Vec<Anchor> {
        let anchors: &[&str] = match self {
            Self::Strict => &STRICT,
            Self::Dimension(at) => &DIMENSIONS[at].2,
        };
        (0..).zip(anchors.iter().copied()).collect()
    }

    /// The highest grade: 2, or 5.
    pub fn most(self) -> u8 {
        match self {
            Self::Strict => 2,
            Self::Dimension(_) => 5,
        }
    }
}

//! What a heading is about.

/// A kind of fact, or of heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Goal,
    Constraints,
    Done,
    InProgress,
    Blocked,
    Decisions,
    Next,
    Facts,
    Errors,
    Artifacts,
    /// Done, in progress, blocked and next together.
    Progress,
    /// Whatever has no heading of its own.
    Overview,
}

/// Words of headings. The first that occurs decides, so `in progress` stands before `progress`, and the narrow words
/// of plans before the wide ones of goals.
const WORDS: &[(&str, Topic)] = &[
    ("constraint", Topic::Constraints),
    ("preference", Topic::Constraints),
    ("requirement", Topic::Constraints),
    ("约束", Topic::Constraints),
    ("限制", Topic::Constraints),
    ("偏好", Topic::Constraints),
    ("要求", Topic::Constraints),
    ("next", Topic::Next),
    ("todo", Topic::Next),
    ("to do", Topic::Next),
    ("remaining", Topic::Next),
    ("pending", Topic::Next),
    ("下一步", Topic::Next),
    ("待办", Topic::Next),
    ("后续", Topic::Next),
    ("in progress", Topic::InProgress),
    ("current work", Topic::InProgress),
    ("ongoing", Topic::InProgress),
    ("进行中", Topic::InProgress),
    ("正在", Topic::InProgress),
    ("block", Topic::Blocked),
    ("obstacle", Topic::Blocked),
    ("阻", Topic::Blocked),
    ("障碍", Topic::Blocked),
    ("done", Topic::Done),
    ("completed", Topic::Done),
    ("finished", Topic::Done),
    ("已完成", Topic::Done),
    ("progress", Topic::Progress),
    ("status", Topic::Progress),
    ("进展", Topic::Progress),
    ("进度", Topic::Progress),
    ("decision", Topic::Decisions),
    ("decided", Topic::Decisions),
    ("决定", Topic::Decisions),
    ("决策", Topic::Decisions),
    ("goal", Topic::Goal),
    ("intent", Topic::Goal),
    ("request", Topic::Goal),
    ("objective", Topic::Goal),
    ("task", Topic::Goal),
    ("目标", Topic::Goal),
    ("意图", Topic::Goal),
    ("任务", Topic::Goal),
    ("artifact", Topic::Artifacts),
    ("file", Topic::Artifacts),
    ("文件", Topic::Artifacts),
    ("产物", Topic::Artifacts),
    ("error", Topic::Errors),
    ("problem", Topic::Errors),
    ("issue", Topic::Errors),
    ("错误", Topic::Errors),
    ("问题", Topic::Errors),
    ("context", Topic::Facts),
    ("concept", Topic::Facts),
    ("fact", Topic::Facts),
    ("data", Topic::Facts),
    ("value", Topic::Facts),
    ("上下文", Topic::Facts),
    ("数据", Topic::Facts),
    ("summary", Topic::Overview),
    ("overview", Topic::Overview),
    ("摘要", Topic::Overview),
    ("总结", Topic::Overview),
];

impl Topic {
    /// What a heading is about, by its title, or else by what it asks for.
    pub(super) fn of(title: &str, asks: Option<&str>) -> Self {
        let find = |text: &str| {
            let text = text.to_lowercase();
            WORDS.iter().find(|(word, _)| text.contains(word)).map(|&(_, topic)| topic)
        };
        find(title).or_else(|| find(asks?)).unwrap_or(Self::Overview)
    }

    /// Lines under a heading at verbosity 1: about two screens in all for a template with many headings.
    pub(super) fn lines(self) -> f64 {
        match self {
            Self::InProgress => 3.0,
            Self::Blocked => 4.0,
            Self::Next => 5.0,
            Self::Goal => 8.0,
            Self::Errors => 10.0,
            Self::Done | Self::Decisions | Self::Constraints => 12.0,
            Self::Facts => 16.0,
            Self::Artifacts => 24.0,
            Self::Progress | Self::Overview => 0.0,
        }
    }

    /// Whether what counts is how things stand at the end.
    pub(super) fn is_latest(self) -> bool {
        matches!(self, Self::InProgress | Self::Blocked | Self::Next)
    }

    /// The facts that go under a heading of this topic, when the headings `present` are asked for too.
    pub(super) fn facts(self, present: &[Self]) -> Vec<Self> {
        let homeless =
            |topics: &[Self]| topics.iter().copied().filter(|topic| !present.contains(topic)).collect::<Vec<_>>();
        match self {
            Self::Progress => {
                let mut topics = homeless(&[Self::Done, Self::InProgress, Self::Blocked, Self::Next]);
                // The start of a split turn is asked for its decisions as part of its progress.
                if !present.contains(&Self::Overview) {
                    topics.extend(homeless(&[Self::Decisions]));
                }
                topics
            }
            Self::Overview => {
                let mut topics = homeless(&[Self::Goal, Self::Constraints, Self::Decisions]);
                if !present.contains(&Self::Progress) {
                    topics.extend(homeless(&[Self::Done, Self::Blocked]));
                }
                topics.extend(homeless(&[Self::Facts, Self::Errors]));
                topics
            }
            Self::Facts => [vec![Self::Facts], homeless(&[Self::Errors])].concat(),
            topic => vec![topic],
        }
    }
}

//! A template by the kind of the task: a debugging session needs other headings than a data analysis.

use super::{Template, TemplateError};
use crate::transcript::{Message, joined_text};

/// What kind of work a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// Something is wrong, and the cause is looked for.
    Debugging,
    /// Something new is built.
    Feature,
    /// Data is looked into.
    Data,
    /// A text is written.
    Writing,
}

/// Words by which a person says what the work is; the task with the most of them is picked.
const WORDS: [(Task, &[&str]); 4] = [
    (
        Task::Debugging,
        &[
            "bug",
            "fail",
            "flaky",
            "error",
            "crash",
            "regression",
            "traceback",
            "debug",
            "wrong",
            "broken",
            "why does",
            "cause of",
            "exception",
            "fix",
            "误报",
            "失败",
            "错误",
            "报错",
            "修复",
            "原因",
            "崩溃",
        ],
    ),
    (
        Task::Feature,
        &[
            "implement",
            "feature",
            "add ",
            "support ",
            "build ",
            "create ",
            "refactor",
            "endpoint",
            "command",
            "mode",
            "design",
            "migrate",
            "实现",
            "新增",
            "添加",
            "功能",
            "支持",
            "重构",
        ],
    ),
    (
        Task::Data,
        &[
            "dataset",
            "csv",
            "dataframe",
            "plot",
            "chart",
            "query",
            "column",
            "statistic",
            "distribution",
            "correlat",
            "analy",
            "notebook",
            "outlier",
            "数据集",
            "分析",
            "图表",
            "统计",
            "查询",
        ],
    ),
    (
        Task::Writing,
        &[
            "article",
            "essay",
            "draft",
            "chapter",
            "paragraph",
            "blog",
            "tone",
            "rewrite",
            "proofread",
            "translate",
            "report on",
            "documentation",
            "文章",
            "草稿",
            "段落",
            "翻译",
            "润色",
            "改写",
        ],
    ),
];

impl Task {
    /// All of them, in the order of [`Choice`].
    pub const ALL: [Self; 4] = [Self::Debugging, Self::Feature, Self::Data, Self::Writing];

    /// The template that goes with it.
    pub fn template(self) -> &'static str {
        match self {
            Self::Debugging => "task-debugging",
            Self::Feature => "task-feature",
            Self::Data => "task-data",
            Self::Writing => "task-writing",
        }
    }

    /// The task of a conversation, by the words of the person and of an earlier summary. Without any telling word, or at
    /// a tie, the first of [`Task::ALL`] that fits best; a session that says nothing counts as a feature.
    pub fn of<'m>(messages: impl Iterator<Item = &'m Message>, earlier: Option<&str>) -> Self {
        let mut counts = [0_usize; 4];
        let mut count = |text: &str| {
            let text = text.to_lowercase();
            for (slot, (_, words)) in counts.iter_mut().zip(WORDS) {
                *slot += words.iter().map(|word| text.matches(word).count()).sum::<usize>();
            }
        };
        for message in messages {
            if let Message::User(content) = message {
                count(&joined_text(content));
            }
        }
        earlier.into_iter().for_each(&mut count);
        let most = counts.into_iter().max().unwrap_or_default();
        let found = Self::ALL.into_iter().zip(counts).find(|(_, count)| *count == most);
        found.filter(|_| most > 0).map_or(Self::Feature, |(task, _)| task)
    }
}

/// One template, or one for every task.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Always this one.
    One(Box<Template>),
    /// By the task, in the order of [`Task::ALL`].
    ByTask(Box<[Template; 4]>),
}

impl Choice {
    /// The name that picks by task.
    pub const BY_TASK: &'static str = "by-task";

    /// The template of this name, `by-task`, or a template file's whole text.
    ///
    /// # Errors
    /// When there is no such template, or the text is none.
    pub fn named(name: &str) -> Result<Self, TemplateError> {
        if name != Self::BY_TASK {
            return Ok(Self::One(Box::new(Template::named(name)?)));
        }
        let [debugging, feature, data, writing] = Task::ALL.map(|task| Template::builtin(task.template()));
        Ok(Self::ByTask(Box::new([debugging?, feature?, data?, writing?])))
    }

    /// All templates that it may pick.
    pub fn templates(&self) -> &[Template] {
        match self {
            Self::One(template) => std::slice::from_ref(template),
            Self::ByTask(templates) => &**templates,
        }
    }

    /// The template for a conversation.
    pub fn pick<'m>(&self, messages: impl Iterator<Item = &'m Message>, earlier: Option<&str>) -> &Template {
        match self {
            Self::One(template) => template,
            Self::ByTask(templates) => &templates[Task::of(messages, earlier) as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Task};
    use crate::transcript::{Block, Content, Message};

    fn task(text: &str) -> Task {
        let said = Message::User(Content { blocks: vec![Block::Text(text.into())], plain: true });
        Task::of([said].iter(), None)
    }

    #[test]
    fn words_of_the_person_tell_the_task() {
        assert_eq!(task("The test is flaky, find the cause of the failure"), Task::Debugging);
        assert_eq!(task("Implement an offline mode and add a sync command"), Task::Feature);
        assert_eq!(task("Load the CSV and plot the distribution of each column"), Task::Data);
        assert_eq!(task("Rewrite the second paragraph of the article in a calmer tone"), Task::Writing);
        assert_eq!(task("发票核对误报太多，找出原因并修复"), Task::Debugging);
        assert_eq!(task("hello"), Task::Feature);
    }

    #[test]
    fn every_task_has_its_template() {
        let Choice::ByTask(templates) = Choice::named(Choice::BY_TASK).unwrap() else { panic!() };
        let names: Vec<&str> = templates.iter().map(super::Template::name).collect();
        assert_eq!(names, Task::ALL.map(Task::template));
    }
}

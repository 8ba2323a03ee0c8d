//! A model as judge of summaries: graded against what is annotated, or on six dimensions.
//!
//! A judgement is one call about one text. The judge is shown neither the strategy nor the headings of its template. A grade
//! above 0 needs words of the text as evidence, and is void when they stand nowhere in it. A judge is used only after it has
//! passed a fixed set of cases ([`Regression`]), and is compared with a person's labels ([`labels`]).

pub mod labels;
mod regression;
mod rubric;
mod targets;
mod verdict;

pub use regression::{Case, Checked, Regression, RegressionError};
pub use rubric::{Anchor, Rubric};
pub use targets::{Target, targets};
pub use verdict::{Judgement, Subject, judge, judged_text, read_reply, request};

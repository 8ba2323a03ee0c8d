//! The formula, apart from how survival is found.

use super::{Category, GoalItem, ItemSet};

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Every slot is there.
    Kept,
    /// Some slots are there.
    Partly,
    /// No slot is there.
    Lost,
    /// What stands for it is wrong or stale.
    Wrong,
    /// Its source is still in the context, or not yet written: it is not scored.
    InTail,
    /// Another item has replaced it: it is not scored.
    Superseded,
    /// It is stated on another branch only: it is not scored.
    OffPath,
}

impl Fate {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Partly => "partly",
            Self::Lost => "lost",
            Self::Wrong => "wrong",
            Self::InTail => "in_tail",
            Self::Superseded => "superseded",
            Self::OffPath => "off_path",
        }
    }

    /// 1, ½, 0, -½; `None` when it is not scored.
    pub fn score(self) -> Option<f64> {
        match self {
            Self::Kept => Some(1.0),
            Self::Partly => Some(0.5),
            Self::Lost => Some(0.0),
            Self::Wrong => Some(-0.5),
            Self::InTail | Self::Superseded | Self::OffPath => None,
        }
    }
}

/// The fate of every item at one cut, in the order of the items.
pub type ItemFate = Vec<Fate>;

/// The loss at one cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Weighted over the categories that have a scored item; `None` when no item is scored.
    pub loss: Option<f64>,
    /// By category, in the order of [`Category::ALL`].
    pub by_category: [Option<f64>; 7],
    /// Critical items lost or wrong.
    pub critical_lost: u64,
}

impl Score {
    /// `Σ_g W_g · (1 - clip(Σ w·s / Σ w, 0, 1))`, the `W_g` renormalised over the categories that have a scored item.
    pub fn new(items: &ItemSet, fates: &[Fate]) -> Self {
        Self::only(items, fates, |_| true)
    }

    /// The same over some of the items.
    pub(super) fn only(items: &ItemSet, fates: &[Fate], counts: impl Fn(&GoalItem) -> bool) -> Self {
        let of = |(item, fate): (&GoalItem, &Fate)| fate.score().filter(|_| counts(item));
        let scores: Vec<_> = items.items.iter().zip(fates).map(of).collect();
        let veto = |(item, fate): &(&GoalItem, &Fate)| item.critical && matches!(fate, Fate::Lost | Fate::Wrong);
        let critical_lost = items.items.iter().zip(fates).filter(veto).count() as u64;
        Self { critical_lost, ..Self::of_scores(items, &scores) }
    }

    /// The loss of given scores, which may be expectations; `None` is not scored.
    pub(super) fn of_scores(items: &ItemSet, scores: &[Option<f64>]) -> Self {
        let by_category = Category::ALL.map(|category| category_loss(items, scores, category));
        let (mut loss, mut shares) = (0.0, 0.0);
        for (category, part) in Category::ALL.into_iter().zip(by_category) {
            if let Some(part) = part {
                loss += category.share() * part;
                shares += category.share();
            }
        }
        Self { loss: (shares > 0.0).then(|| loss / shares), by_category, critical_lost: 0 }
    }
}

fn category_loss(items: &ItemSet, scores: &[Option<f64>], category: Category) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (item, score) in items.items.iter().zip(scores).filter(|(item, _)| item.category == category) {
        if let Some(score) = score {
            sum += item.weight * score;
            weights += item.weight;
        }
    }
    (weights > 0.0).then(|| 1.0 - (sum / weights).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::{Category, Fate, ItemSet, Score};
    use crate::meter::goal::GoalItem;

    fn item(category: Category, weight: f64, critical: bool) -> GoalItem {
        GoalItem {
            id: String::new(),
            category,
            text: String::new(),
            weight,
            critical,
            source: Vec::new(),
            superseded_by: None,
            done_at: None,
            must: Vec::new(),
            quote: None,
            within: None,
            must_not: Vec::new(),
        }
    }

    #[test]
    fn shares_are_renormalised_over_the_categories_present() {
        let items = ItemSet {
            items: vec![
                item(Category::Goal, 1.0, true),
                item(Category::Decision, 3.0, false),
                item(Category::Decision, 1.0, false),
                item(Category::Value, 1.0, false),
            ],
        };
        // Goal: lost, 1. Decision: (3·½ + 1·1) / 4 = 0.625, loss 0.375. Value: in the tail, not scored.
        let score = Score::new(&items, &[Fate::Lost, Fate::Partly, Fate::Kept, Fate::InTail]);
        assert_eq!(score.by_category, [Some(1.0), None, Some(0.375), None, None, None, None]);
        // (0.25·1 + 0.15·0.375) / 0.40 = 0.765625.
        assert!((score.loss.unwrap() - 0.765_625).abs() < 1e-12);
        assert_eq!(score.critical_lost, 1);
    }

    #[test]
    fn wrong_is_worse_than_lost_but_never_more_than_all() {
        let items = ItemSet { items: vec![item(Category::Goal, 1.0, false), item(Category::Goal, 1.0, false)] };
        // (1 - ½) / 2 = 0.25, loss 0.75; one kept and one lost would be 0.5.
        assert_eq!(Score::new(&items, &[Fate::Kept, Fate::Wrong]).loss, Some(0.75));
        assert_eq!(Score::new(&items, &[Fate::Wrong, Fate::Wrong]).loss, Some(1.0));
        assert_eq!(Score::new(&items, &[Fate::InTail, Fate::InTail]).loss, None);
    }

    #[test]
    fn the_shares_are_one_whole() {
        assert!((Category::ALL.map(Category::share).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

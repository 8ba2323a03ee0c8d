//! From verdicts to measures.

use super::action::ActionVerdict;
use super::answer::Verdict;
use super::bank::ProbeKind;
use crate::measure::Direction::{Higher, Lower, Neutral};
use crate::measure::Measure;
use crate::meter::{Def, Measures};

/// Below this difference between the whole history and none, a question bank tells nothing of what lies between.
const LEAST_EFFECT: f64 = 0.2;
/// Share of the runs with the whole history that must be right, for a probe to be kept: two of three.
const KNOWN: f64 = 2.0 / 3.0;
/// Share of the runs with nothing that must not be reached.
const GUESSED: f64 = 0.5;

/// The verdicts of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    /// What it asks for.
    pub kind: ProbeKind,
    /// With the whole history, run by run.
    pub full: Vec<Verdict>,
    /// With nothing, run by run.
    pub empty: Vec<Verdict>,
    /// With the context after the cut.
    pub view: Verdict,
    /// With that and one search; `None` where it was not asked.
    pub search: Option<Verdict>,
}

impl ProbeResult {
    /// Whether it enters effect retention: the whole history answers it, and nothing does not. What was never said is
    /// answered rightly by knowing nothing, and is counted apart.
    pub fn is_kept(&self) -> bool {
        // A share of thirds is not exact.
        self.kind != ProbeKind::Negative && share(&self.full) > KNOWN - 1e-9 && share(&self.empty) < GUESSED
    }
}

fn right(verdict: Verdict) -> f64 {
    f64::from(u8::from(verdict == Verdict::Right))
}

/// Share of right answers; 0 without any, which never happens: every question is asked.
fn share(verdicts: &[Verdict]) -> f64 {
    mean(verdicts.iter().map(|&verdict| right(verdict))).unwrap_or(0.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Measures of probes, in the order of [`DEFS`].
const PROBES: [&str; 12] = [
    "probe_effect_retention",
    "probe_loss",
    "probe_recovery_gain",
    "probe_full_accuracy",
    "probe_view_accuracy",
    "probe_empty_accuracy",
    "probe_search_accuracy",
    "probe_asked_count",
    "probe_kept_count",
    "probe_false_recall_ratio",
    "probe_stale_count",
    "probe_unparsed_ratio",
];

/// Measures of the next action.
const ACTIONS: [&str; 5] = [
    "next_action_agreement",
    "next_action_tool_agreement",
    "next_action_full_agreement",
    "next_action_asked_count",
    "next_action_unparsed_count",
];

/// All of them void, for this reason.
pub fn no_exam(reason: &str) -> Measures {
    PROBES.into_iter().chain(ACTIONS).map(|name| (name, Measure::void(reason))).collect()
}

/// Effect retention and recovery gain over the kept probes: ratios of sums, not means of ratios.
fn effect(results: &[ProbeResult]) -> Result<(f64, Option<f64>), String> {
    let overflows = |result: &&ProbeResult| {
        let all = result.full.iter().chain(&result.empty).chain([&result.view]).chain(&result.search);
        all.into_iter().any(|&verdict| verdict == Verdict::Overflow)
    };
    let over = results.iter().filter(overflows).count();
    if over > 0 {
        return Err(format!("the reader's window is too small: {over} probes did not fit"));
    }
    let asked = || results.iter().filter(|result| result.kind != ProbeKind::Negative);
    let reach = mean(asked().map(|result| share(&result.full) - share(&result.empty)));
    let Some(reach) = reach else { return Err("the cut gives no probe".to_owned()) };
    if reach < LEAST_EFFECT {
        return Err(format!(
            "with the whole history the reader is right more often than with nothing by {reach:.2}; {LEAST_EFFECT} are needed"
        ));
    }
    let kept: Vec<&ProbeResult> = results.iter().filter(|result| result.is_kept()).collect();
    let sum = |of: &dyn Fn(&ProbeResult) -> f64| kept.iter().map(|result| of(result)).sum::<f64>();
    let (full, empty) = (sum(&|result| share(&result.full)), sum(&|result| share(&result.empty)));
    if kept.is_empty() {
        return Err("no probe is answered with the whole history and not with nothing".to_owned());
    }
    let view = sum(&|result| right(result.view));
    let searched = kept.iter().all(|result| result.search.is_some());
    let search = sum(&|result| result.search.map_or(0.0, right));
    Ok(((view - empty) / (full - empty), searched.then(|| (search - view) / (full - empty))))
}

/// The measures of the probes of one cut.
pub fn probes(results: &[ProbeResult]) -> Measures {
    let none = || Measure::void("the cut gives no probe");
    let asked = || results.iter().filter(|result| result.kind != ProbeKind::Negative);
    let rate = |of: &dyn Fn(&ProbeResult) -> f64| mean(asked().map(of)).map_or_else(none, Measure::from);
    let not_searched = || Measure::void("no search was asked for");
    let (retention, loss, gain) = match effect(results) {
        Ok((effect, gain)) => (
            Measure::from(effect),
            Measure::from(1.0 - effect.clamp(0.0, 1.0)),
            gain.map_or_else(not_searched, Measure::from),
        ),
        Err(why) => (Measure::void(&*why), Measure::void(&*why), Measure::void(&*why)),
    };
    let searched = results.iter().any(|result| result.search.is_some());
    let search = if searched { rate(&|result| result.search.map_or(0.0, right)) } else { not_searched() };
    let negative = results.iter().filter(|result| result.kind == ProbeKind::Negative);
    let recalled = mean(negative.map(|result| f64::from(u8::from(result.view == Verdict::Wrong))));
    let count = |of: &dyn Fn(&&ProbeResult) -> bool| {
        Measure::from(crate::meter::number(results.iter().filter(of).count() as u64))
    };
    let unparsed = mean(results.iter().map(|result| f64::from(u8::from(result.view == Verdict::Unparsed))));
    let values = [
        retention,
        loss,
        gain,
        rate(&|result| share(&result.full)),
        rate(&|result| right(result.view)),
        rate(&|result| share(&result.empty)),
        search,
        count(&|result| result.kind != ProbeKind::Negative),
        count(&|result| result.is_kept()),
        recalled.map_or_else(|| Measure::void("nothing was asked that was never said"), Measure::from),
        count(&|result| result.view == Verdict::Stale),
        unparsed.map_or_else(none, Measure::from),
    ];
    PROBES.into_iter().zip(values).collect()
}

/// The measures of the next actions after one cut: given the context, and given the whole history.
pub fn actions(verdicts: &[(ActionVerdict, ActionVerdict)]) -> Measures {
    let share = |of: &dyn Fn(&(ActionVerdict, ActionVerdict)) -> bool| {
        let share = mean(verdicts.iter().map(|pair| f64::from(u8::from(of(pair)))));
        share.map_or_else(|| Measure::void("no recorded tool call follows the cut"), Measure::from)
    };
    let fits = |of: fn(&(ActionVerdict, ActionVerdict)) -> ActionVerdict, measure: Measure| {
        let over = verdicts.iter().any(|pair| of(pair) == ActionVerdict::Overflow);
        if over { Measure::void("the reader's window is too small") } else { measure }
    };
    let is_tool = |verdict: ActionVerdict| matches!(verdict, ActionVerdict::Agrees | ActionVerdict::SameTool);
    let unparsed = verdicts.iter().filter(|(view, _)| *view == ActionVerdict::Unparsed).count() as u64;
    let values = [
        fits(|pair| pair.0, share(&|&(view, _)| view == ActionVerdict::Agrees)),
        fits(|pair| pair.0, share(&|&(view, _)| is_tool(view))),
        fits(|pair| pair.1, share(&|&(_, full)| full == ActionVerdict::Agrees)),
        Measure::from(crate::meter::number(verdicts.len() as u64)),
        Measure::from(crate::meter::number(unparsed)),
    ];
    ACTIONS.into_iter().zip(values).collect()
}

pub(in crate::meter) const DEFS: &[Def] = &[
    Def(
        "probe_effect_retention",
        "ratio",
        Higher,
        "(right with the context - right with nothing) / (right with the whole history - right with nothing), over the probes that need the history",
    ),
    Def("probe_loss", "score", Lower, "1 - probe_effect_retention, kept between 0 and 1"),
    Def("probe_recovery_gain", "ratio", Higher, "what one search of the dropped part adds to probe_effect_retention"),
    Def("probe_full_accuracy", "ratio", Higher, "share of the probes that the reader answers with the whole history"),
    Def(
        "probe_view_accuracy",
        "ratio",
        Higher,
        "share of the probes that the reader answers with the context after the cut",
    ),
    Def("probe_empty_accuracy", "ratio", Lower, "control: share of the probes that the reader answers with nothing"),
    Def(
        "probe_search_accuracy",
        "ratio",
        Higher,
        "share that it answers with the context and one search of the dropped part",
    ),
    Def("probe_asked_count", "count", Neutral, "probes of the bank, without those about what was never said"),
    Def(
        "probe_kept_count",
        "count",
        Neutral,
        "probes that the reader answers with the whole history and not with nothing",
    ),
    Def(
        "probe_false_recall_ratio",
        "ratio",
        Lower,
        "share of the questions about what was never said that get a value for an answer",
    ),
    Def("probe_stale_count", "count", Lower, "answers with the value of before"),
    Def("probe_unparsed_ratio", "ratio", Lower, "share of the answers that cannot be read; they count as not right"),
    Def(
        "next_action_agreement",
        "ratio",
        Higher,
        "share of the recorded tool calls after the cut that the reader names, tool and target, from the context",
    ),
    Def("next_action_tool_agreement", "ratio", Higher, "the same for the tool alone"),
    Def("next_action_full_agreement", "ratio", Neutral, "control: the same, tool and target, from the whole history"),
    Def("next_action_asked_count", "count", Neutral, "recorded tool calls that were asked for"),
    Def(
        "next_action_unparsed_count",
        "count",
        Lower,
        "replies from which no call can be read; they count as no agreement",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn result(kind: ProbeKind, full: [bool; 3], empty: [bool; 3], view: bool) -> ProbeResult {
        let verdict = |right: bool| if right { Verdict::Right } else { Verdict::Wrong };
        ProbeResult {
            kind,
            full: full.map(verdict).to_vec(),
            empty: empty.map(verdict).to_vec(),
            view: verdict(view),
            search: None,
        }
    }

    fn value(measures: &Measures, name: &str) -> Measure {
        measures.iter().find(|(one, _)| *one == name).map(|(_, measure)| measure.clone()).unwrap()
    }

    #[test]
    fn effect_retention_is_a_ratio_of_sums_over_the_kept_probes() {
        let (all, none) = ([true; 3], [false; 3]);
        let results = [
            result(ProbeKind::Recall, all, none, true),
            result(ProbeKind::Recall, [true, true, false], [false, false, true], false),
            // Guessed with nothing: not kept.
            result(ProbeKind::Constraint, all, all, true),
            // Not known with everything: not kept.
            result(ProbeKind::Decision, [true, false, false], none, false),
            // Never said: apart.
            result(ProbeKind::Negative, all, all, false),
        ];
        let measures = probes(&results);
        // Kept: full 1 + 2/3, empty 0 + 1/3, view 1 + 0. (1 - 1/3) / (5/3 - 1/3) = 0.5.
        let close = |name: &str, expected: f64| {
            let found = value(&measures, name).value().unwrap();
            assert!((found - expected).abs() < 1e-12, "{name}: {found}");
        };
        close("probe_effect_retention", 0.5);
        close("probe_loss", 0.5);
        // Of the four asked: full (1 + 2/3 + 1 + 1/3) / 4, view 2/4, empty (0 + 1/3 + 1 + 0) / 4.
        close("probe_full_accuracy", 0.75);
        close("probe_view_accuracy", 0.5);
        close("probe_empty_accuracy", 1.0 / 3.0);
        close("probe_asked_count", 4.0);
        close("probe_kept_count", 2.0);
        close("probe_false_recall_ratio", 1.0);
        assert_eq!(value(&measures, "probe_recovery_gain"), Measure::void("no search was asked for"));
    }

    #[test]
    fn a_search_gains_what_the_context_lacks() {
        let mut one = result(ProbeKind::Recall, [true; 3], [false; 3], false);
        one.search = Some(Verdict::Right);
        let mut two = result(ProbeKind::Recall, [true; 3], [false; 3], false);
        two.search = Some(Verdict::Wrong);
        let measures = probes(&[one, two]);
        assert_eq!(value(&measures, "probe_effect_retention"), Measure::Value(0.0));
        assert_eq!(value(&measures, "probe_recovery_gain"), Measure::Value(0.5));
        assert_eq!(value(&measures, "probe_search_accuracy"), Measure::Value(0.5));
    }

    #[test]
    fn what_tells_nothing_is_void_with_its_reason() {
        let weak = probes(&[result(ProbeKind::Recall, [false; 3], [false; 3], true)]);
        let Measure::Void(why) = value(&weak, "probe_effect_retention") else { panic!() };
        assert!(why.contains("by 0.00; 0.2 are needed"), "{why}");
        let mut over = result(ProbeKind::Recall, [true; 3], [false; 3], true);
        over.full[1] = Verdict::Overflow;
        assert!(
            matches!(value(&probes(&[over]), "probe_loss"), Measure::Void(why) if why.contains("window is too small"))
        );
        assert_eq!(value(&probes(&[]), "probe_view_accuracy"), Measure::void("the cut gives no probe"));
        assert!(no_exam("no cut").iter().all(|(_, measure)| *measure == Measure::void("no cut")));
    }

    #[test]
    fn agreements_are_shares_of_all_that_was_asked() {
        use ActionVerdict::{Agrees, Differs, SameTool, Unparsed};
        let measures = actions(&[(Agrees, Agrees), (SameTool, Agrees), (Unparsed, Differs), (Differs, Agrees)]);
        assert_eq!(value(&measures, "next_action_agreement"), Measure::Value(0.25));
        assert_eq!(value(&measures, "next_action_tool_agreement"), Measure::Value(0.5));
        assert_eq!(value(&measures, "next_action_full_agreement"), Measure::Value(0.75));
        assert_eq!(value(&measures, "next_action_unparsed_count"), Measure::Value(1.0));
        assert!(matches!(value(&actions(&[]), "next_action_agreement"), Measure::Void(_)));
    }
}

//! Asks a reader about the last cut of a cell: probes, and the next recorded tool calls.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::grid::digest;
use super::{Cell, Prepared};
use crate::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse, Purpose};
use crate::meter::Measures;
use crate::meter::goal::probe::{
    ActionSight, ActionVerdict, Bank, BankLimits, Condition, CutSight, NextCall, ProbeResult, Question, Sight,
    ToolSource, Toolset, Verdict, action_prompt, action_prompt_in_words, actions, judge_answer, judge_calls, no_exam,
    probe_prompt, probes, query_of, query_prompt, search, shared_bytes,
};
use crate::replay::CountCache;
use crate::results::{ActionRecord, AnswerRecord, ExamRecord, LeftOutRecord, ProbeRecord};
use crate::transcript::{Tokens, ToolSchema, Transcript};

/// `[probes]` of an experiment: what is asked of the reader, which is the model of `[llm]`, or the mock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProbeConfig {
    /// Questions of a kind.
    pub per_kind: usize,
    /// Questions about what was never said.
    pub negatives: usize,
    /// Runs with the whole history, and with nothing: they decide which probes are kept.
    pub runs: u32,
    /// Ask again with one search of the dropped part, which takes two more calls a probe.
    pub search: bool,
    /// Recorded tool calls after the cut that the reader shall name.
    pub next_actions: usize,
    /// The most tokens of an answer; models that think need more.
    pub max_output_tokens: u64,
    /// Tells the reader its tools in words, for a server that refuses the tool fields of its protocol.
    pub tools_in_words: bool,
}

impl Default for ProbeConfig {
    fn default() -> Self {
        Self {
            per_kind: 4,
            negatives: 3,
            runs: 3,
            search: false,
            next_actions: 3,
            max_output_tokens: 1_024,
            tools_in_words: false,
        }
    }
}

impl ProbeConfig {
    /// A sight that sees what the exam needs.
    pub(super) fn sight<'t>(&self, prepared: &Prepared<'t>, window: Tokens) -> Sight<'t> {
        Sight::new(&prepared.session.transcript, &prepared.path, window, self.next_actions)
    }
}

/// Who is asked, and what it took.
struct Desk<'e> {
    llm: &'e dyn Completer,
    counts: &'e CountCache,
    transcript: &'e Transcript,
    config: &'e ProbeConfig,
    system: Arc<str>,
    record: ExamRecord,
}

/// Why there is no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silent {
    Refused,
    Overflow,
}

/// One call.
struct Asked {
    prompt: String,
    shared_bytes: usize,
    tools: Arc<[ToolSchema]>,
    seed: u64,
}

const READER: &str = "You answer questions about a recorded session of a coding agent. You take no part in it.";

/// Asks everything about the last cut. What was seen is given by `sight`.
pub(super) fn examine(
    cell: &Cell,
    prepared: &Prepared<'_>,
    config: &ProbeConfig,
    sight: Sight<'_>,
    counts: &CountCache,
    llm: &dyn Completer,
) -> (ExamRecord, Measures) {
    let transcript = &prepared.session.transcript;
    let system = transcript.head.system.as_ref().map_or_else(
        || READER.to_owned(),
        |system| format!("{READER}\n\nThe agent was told:\n<system-prompt>\n{}\n</system-prompt>", system.as_str()),
    );
    let record = ExamRecord { reader: llm.name().to_owned(), mock: llm.is_mock(), ..ExamRecord::default() };
    let mut desk = Desk { llm, counts, transcript, config, system: system.into(), record };
    let measures = match sight.finish() {
        Err(why) => {
            desk.record.void = Some(why.to_owned());
            no_exam(why)
        }
        Ok((cut, following)) => {
            let mut measures = desk.probes(cell, prepared, &cut);
            measures.extend(desk.actions(cell, &cut, &following));
            measures
        }
    };
    (desk.record, measures)
}

impl Asked {
    /// A question about a context.
    fn about(context: &str, seed: u64, prompt: String) -> Self {
        Self { prompt, shared_bytes: shared_bytes(context), tools: [].into(), seed }
    }
}

impl Desk<'_> {
    fn ask(&mut self, asked: Asked) -> Result<LlmResponse, Silent> {
        let request = LlmRequest {
            system: Some(Arc::clone(&self.system)),
            prompt: asked.prompt.into(),
            max_output: Some(Tokens(self.config.max_output_tokens)),
            purpose: Purpose::Question,
            seed: asked.seed,
            tools: asked.tools,
            shared_bytes: asked.shared_bytes,
        };
        self.record.requests_count += 1;
        self.record.input_tokens += self.counts.request(&request).0;
        match self.llm.complete(&request) {
            Ok(response) => {
                self.record.output_tokens += self.counts.response(&response).0;
                Ok(response)
            }
            Err(LlmError::Overflow(_)) => Err(Silent::Overflow),
            // A failure that stays ends the run, and this cell is no result; what is left are the model's own words.
            Err(LlmError::Unusable(_) | LlmError::Failed(_)) => Err(Silent::Refused),
        }
    }

    fn probes(&mut self, cell: &Cell, prepared: &Prepared<'_>, cut: &CutSight) -> Measures {
        let history = cut.history(self.transcript);
        let limits = BankLimits { per_kind: self.config.per_kind, negatives: self.config.negatives };
        let bank = Bank::new(&prepared.session.items, self.transcript, cut, &history, limits);
        self.record.cut_request = Some(cut.request);
        self.record.bank_sha256 = Some(bank.sha256());
        self.record.view_sha256 = Some(digest(&[&cut.view]));
        let left_out = |(item, why): &(String, &str)| LeftOutRecord { item: item.clone(), reason: (*why).to_owned() };
        self.record.left_out = bank.left_out.iter().map(left_out).collect();
        let contexts = Contexts { full: &history, view: &cut.view, empty: "" };
        let dropped = if self.config.search { cut.dropped_texts(self.transcript) } else { Vec::new() };
        let mut results = Vec::new();
        for question in &bank.questions {
            let (result, answers) = self.probe(cell, question, &contexts, &dropped);
            self.record.probes.push(ProbeRecord {
                probe: question.id.clone(),
                kind: question.kind.name().to_owned(),
                item: question.item.clone(),
                question: question.text.clone(),
                expected: Some(question.expected.in_words()),
                kept: result.is_kept(),
                answers,
            });
            results.push(result);
        }
        probes(&results)
    }

    /// One question in every condition. Runs with the whole history and with nothing are those of every strategy that cuts
    /// there, so that they are asked once.
    fn probe(
        &mut self,
        cell: &Cell,
        question: &Question,
        contexts: &Contexts<'_>,
        dropped: &[String],
    ) -> (ProbeResult, Vec<AnswerRecord>) {
        let mut answers = Vec::new();
        let mut several = |desk: &mut Self, condition, context: &str| -> Vec<Verdict> {
            let runs = (0..desk.config.runs).map(|run| {
                let (answer, verdict) = desk.one(question, context, None, u64::from(run));
                answers.push(answered(condition, run, answer, verdict, None));
                verdict
            });
            runs.collect()
        };
        let full = several(self, Condition::Full, contexts.full);
        let empty = several(self, Condition::Empty, contexts.empty);
        let (answer, view) = self.one(question, contexts.view, None, cell.draws());
        answers.push(answered(Condition::View, 0, answer, view, None));
        let search = self.config.search.then(|| {
            let (query, answer, verdict) = self.with_search(question, contexts.view, dropped, cell.draws());
            answers.push(answered(Condition::Search, 0, answer, verdict, Some(query)));
            verdict
        });
        (ProbeResult { kind: question.kind, full, empty, view, search }, answers)
    }

    fn one(&mut self, question: &Question, context: &str, found: Option<&str>, seed: u64) -> (String, Verdict) {
        let asked = Asked::about(context, seed, probe_prompt(context, found, question));
        match self.ask(asked) {
            Ok(reply) => judge_answer(&reply.text, &question.expected),
            Err(Silent::Overflow) => (String::new(), Verdict::Overflow),
            Err(Silent::Refused) => (String::new(), Verdict::Refused),
        }
    }

    /// The reader says what to look for, then answers with what was found.
    fn with_search(
        &mut self,
        question: &Question,
        context: &str,
        dropped: &[String],
        seed: u64,
    ) -> (String, String, Verdict) {
        let query = match self.ask(Asked::about(context, seed, query_prompt(context, question))) {
            Ok(reply) => query_of(&reply.text),
            Err(Silent::Overflow) => return (String::new(), String::new(), Verdict::Overflow),
            Err(Silent::Refused) => String::new(),
        };
        let (answer, verdict) = self.one(question, context, Some(&search(dropped, &query)), seed);
        (query, answer, verdict)
    }

    fn actions(&mut self, cell: &Cell, cut: &CutSight, following: &[ActionSight]) -> Measures {
        let mut verdicts = Vec::new();
        let tools = Toolset::of(self.transcript, &cut.path, cut.now);
        for sight in following {
            let view = self.action(Condition::View, &sight.view, sight, &tools, cell.draws());
            let history = cut.history_before(self.transcript, sight.entry);
            let full = self.action(Condition::Full, &history, sight, &tools, 0);
            verdicts.push((view, full));
        }
        actions(&verdicts)
    }

    fn action(
        &mut self,
        condition: Condition,
        context: &str,
        sight: &ActionSight,
        tools: &Toolset,
        seed: u64,
    ) -> ActionVerdict {
        // No protocol takes an empty list of tools.
        let in_words = self.config.tools_in_words || tools.source == ToolSource::Unknown;
        let asked = if in_words {
            let lines = tools.lines();
            Asked::about(context, seed, action_prompt_in_words(context, &lines))
        } else {
            Asked { tools: Arc::clone(&tools.schemas), ..Asked::about(context, seed, action_prompt(context)) }
        };
        // The context of a call is its own: what replicates share is the whole prompt.
        let (named, verdict) = match self.ask(Asked { shared_bytes: 0, ..asked }) {
            Ok(reply) => {
                let calls = reply.calls.iter().map(|call| (&*call.name, &*call.arguments));
                judge_calls(calls, &reply.text, &sight.recorded)
            }
            Err(Silent::Overflow) => (None, ActionVerdict::Overflow),
            Err(Silent::Refused) => (None, ActionVerdict::Refused),
        };
        let words = |call: &NextCall| format!("{} {}", call.tool, call.target).trim_end().to_owned();
        self.record.actions.push(ActionRecord {
            request: sight.request,
            line: self.transcript.entry(sight.entry).line as u64,
            condition: condition.name().to_owned(),
            verdict: verdict.name().to_owned(),
            recorded: sight.recorded.iter().map(words).collect(),
            named: named.as_ref().map(words),
            tools: tools.source.name().to_owned(),
            offered: if in_words { "words" } else { "protocol" }.to_owned(),
        });
        verdict
    }
}

/// What the reader is shown of a cut.
struct Contexts<'c> {
    full: &'c str,
    view: &'c str,
    empty: &'c str,
}

fn answered(condition: Condition, run: u32, answer: String, verdict: Verdict, query: Option<String>) -> AnswerRecord {
    AnswerRecord { condition: condition.name().to_owned(), run, verdict: verdict.name().to_owned(), answer, query }
}

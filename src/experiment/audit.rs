//! Recorded compactions of a session, scored without a model.

use super::{ConfigError, Session};
use crate::engine::preset::preset;
use crate::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use crate::measure::Measure;
use crate::meter::goal::{Artifacts, Audit, AuditedCut, Claims, EntityIndex, Fabrication, Faith};
use crate::meter::{Measures, Meter};
use crate::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use crate::tokens::{MessageTable, Reference};
use crate::transcript::Tokens;

/// What a session's own compactions kept and lost.
#[derive(Clone, Debug)]
pub struct SessionAudit {
    /// The session's name.
    pub session: String,
    /// SHA-256 of its file.
    pub sha256: String,
    /// The format it was read as.
    pub format: &'static str,
    /// Its compactions; empty when none was recorded.
    pub cuts: Vec<AuditedCut>,
    /// Faithfulness and the artifact trail, over all of them.
    pub measures: Measures,
    /// Identifiers of summaries without a source.
    pub fabrications: Vec<Fabrication>,
    /// Rules of summaries without a source, in their words.
    pub unsupported_rules: Vec<String>,
}

/// Nobody is asked: the recorded summaries stand.
struct Nobody;

impl Completer for Nobody {
    fn name(&self) -> &'static str {
        "none"
    }

    fn is_mock(&self) -> bool {
        false
    }

    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Err(LlmError::Failed("an audit asks no model".to_owned()))
    }
}

/// Follows the recorded history of a session and scores every summary that it finds.
///
/// # Errors
/// When the strategy that does nothing cannot be built.
pub fn audit(session: &Session, reference: Reference) -> Result<SessionAudit, ConfigError> {
    let none = preset("none").ok_or_else(|| ConfigError::Value("there is no preset none".to_owned()))?;
    let mut strategy = none.spec.build("none")?;
    let transcript = &session.transcript;
    let path = transcript.path();
    let index = EntityIndex::new(transcript);
    // The window is of no account: the recorded history is followed whatever its size.
    let model = Model::new("recorded", Tokens(u64::MAX / 4), Tokens(0));
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &MessageTable::new(transcript, reference),
        estimates: &EstimateTable::new(transcript, &*strategy.estimator),
        counts: &CountCache::new(reference),
        model: &model,
        history: History::Recorded,
        manual: &[],
        seed: 0,
    };
    let mut audit = Audit::new(transcript, &path, &index);
    let mut faith = Box::new(Faith::new(transcript, &path, &index));
    let mut claims = Box::new(Claims::new(transcript, &path));
    let mut artifacts = Box::new(Artifacts::new(transcript));
    replay(input, &mut strategy, &Nobody, &mut |event| {
        audit.observe(event);
        faith.observe(event);
        claims.observe(event);
        artifacts.observe(event);
    });
    let fabrications = faith.fabrications();
    let unsupported = claims.unsupported().into_iter().map(str::to_owned).collect();
    let meters: [Box<dyn Meter + '_>; 3] = [faith, claims, artifacts];
    let mut measures: Measures = meters.into_iter().flat_map(Meter::finish).collect();
    let cuts = audit.finish();
    if !cuts.iter().any(|cut| cut.readable) {
        // An encrypted summary may hold everything.
        for (_, measure) in &mut measures {
            *measure = Measure::void("no summary can be read");
        }
    }
    Ok(SessionAudit {
        session: session.name.clone(),
        sha256: session.sha256.clone(),
        format: session.format,
        cuts,
        measures,
        fabrications,
        unsupported_rules: unsupported,
    })
}

//! Calls and results of the context that do not pair as providers demand.

use super::{Remark, RemarkKind};
use crate::engine::pi::{Item, Path};
use crate::transcript::{Block, Message, is_sent};

/// A call that waits for its result.
struct Open<'m> {
    id: &'m str,
    tool: &'m str,
    line: usize,
    /// Another message has come since.
    late: bool,
}

/// Remarks on the messages that the context holds.
pub(super) fn remarks(path: &Path<'_>, context: &[Item<'_>]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    for item in context.iter().filter(|item| is_sent(&item.message)) {
        let line = item.position.map_or(0, |position| path.entry(position).line);
        match &*item.message {
            Message::ToolResult(result) => match open.iter().position(|call| *call.id == *result.call_id) {
                Some(at) => {
                    let call = open.remove(at);
                    let text = || {
                        format!(
                            "the result `{}` of `{}` follows its call of line {} only after other messages",
                            call.id, call.tool, call.line
                        )
                    };
                    remarks.extend(call.late.then(|| Remark { line, kind: RemarkKind::LateResult, text: text() }));
                }
                None => {
                    let text = format!("no call `{}` of `{}` waits before this result", result.call_id, result.tool);
                    remarks.push(Remark { line, kind: RemarkKind::OrphanResult, text });
                }
            },
            message => {
                open.iter_mut().for_each(|call| call.late = true);
                open.extend(message.blocks().iter().filter_map(|block| match block {
                    Block::ToolCall(call) => Some(Open { id: &call.id, tool: call.name.as_str(), line, late: false }),
                    _ => None,
                }));
            }
        }
    }
    // A call at the very end is on its way.
    remarks.extend(open.into_iter().filter(|call| call.late).map(|Open { id, tool, line, .. }| Remark {
        line,
        kind: RemarkKind::UnansweredCall,
        text: format!("the call `{id}` of `{tool}` has no result, and the conversation goes on"),
    }));
    remarks
}

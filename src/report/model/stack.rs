//! How the simulated cache served the requests of a cell.

use super::Cell;
use crate::results::EventRecord;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackPoint {
    /// Its number, from 1.
    pub request: u64,
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written to it.
    pub write: u64,
    /// Tokens that are neither.
    pub plain: u64,
}

impl StackPoint {
    /// The whole prompt.
    pub fn prompt(&self) -> u64 {
        self.read + self.write + self.plain
    }
}

/// A cell, request by request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// Its requests, in order.
    pub points: Vec<StackPoint>,
    /// The request before which each compaction happened.
    pub compactions: Vec<u64>,
}

impl Stack {
    /// The largest prompt.
    pub fn peak_tokens(&self) -> u64 {
        self.points.iter().map(StackPoint::prompt).max().unwrap_or(0)
    }
}

/// The requests of a cell; `None` when its cache was not simulated.
pub(super) fn stack(cell: &Cell<'_>) -> Option<Stack> {
    let mut stack = Stack::default();
    for event in &cell.events {
        match event {
            EventRecord::Request(request) => stack.points.extend(request.cache.as_ref().map(|cache| StackPoint {
                request: request.request,
                read: cache.read_tokens,
                write: cache.write_tokens,
                plain: cache.plain_tokens,
            })),
            EventRecord::Compaction(compaction) => stack.compactions.push(compaction.request),
            _ => {}
        }
    }
    (!stack.points.is_empty()).then_some(stack)
}

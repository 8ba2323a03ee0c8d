//! From the asynchronous world of models to the synchronous one of the engine.

use std::cell::OnceCell;

use tokio::runtime::{Builder, Handle, Runtime};

use super::{Completer, Llm, LlmError, LlmRequest, LlmResponse};

thread_local! {
    // Built once per thread: a run makes thousands of calls from a few threads.
    static RUNTIME: OnceCell<Runtime> = const { OnceCell::new() };
}

/// Lets the engine call a model. Not to be used inside an asynchronous runtime, where a call fails.
#[derive(Clone, Debug, Default)]
pub struct Blocking<L> {
    llm: L,
}

impl<L: Llm> Blocking<L> {
    /// Wraps a model.
    pub fn new(llm: L) -> Self {
        Self { llm }
    }
}

impl<L: Llm> Completer for Blocking<L> {
    fn name(&self) -> &str {
        self.llm.name()
    }

    fn is_mock(&self) -> bool {
        self.llm.is_mock()
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        if Handle::try_current().is_ok() {
            // Tokio would panic: one runtime cannot wait inside another.
            return Err(LlmError::Failed("a blocking call was made inside an asynchronous runtime".to_owned()));
        }
        RUNTIME.with(|cell| {
            if cell.get().is_none() {
                let built = Builder::new_current_thread().enable_time().build();
                let runtime = built.map_err(|e| LlmError::Failed(format!("no runtime could be started: {e}")))?;
                // Only this thread reaches the cell, so it is still empty.
                let _ = cell.set(runtime);
            }
            let runtime = cell.get().ok_or_else(|| LlmError::Failed("the runtime is gone".to_owned()))?;
            runtime.block_on(self.llm.complete(request))
        })
    }
}

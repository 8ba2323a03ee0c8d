//! A tokenizer from a `tokenizer.json` of Hugging Face's `tokenizers`.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tokenizers::Tokenizer;

use super::CountTokens;
use crate::transcript::Tokens;

/// A tokenizer that a file describes.
pub struct TokenizerFile {
    name: String,
    tokenizer: Tokenizer,
    /// The first text that was refused.
    fault: Mutex<Option<String>>,
}

/// The file is no tokenizer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: not a tokenizer.json of Hugging Face: {reason}")]
pub struct TokenizerFileError {
    /// The name that was given.
    pub name: String,
    /// What the reader says.
    pub reason: String,
}

impl TokenizerFile {
    /// Reads the contents of a `tokenizer.json`. Its settings for padding and truncation are dropped: a count is of the
    /// whole text and of nothing else.
    ///
    /// # Errors
    /// When the bytes are no such file.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8]) -> Result<Self, TokenizerFileError> {
        let name = name.into();
        let fault = |reason: String| TokenizerFileError { name: name.clone(), reason };
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| fault(error.to_string()))?;
        tokenizer.with_truncation(None).map_err(|error| fault(error.to_string()))?;
        tokenizer.with_padding(None);
        // What looks like a special token is text here, as for the other tokenizers.
        tokenizer.set_encode_special_tokens(true);
        Ok(Self { name, tokenizer, fault: Mutex::default() })
    }
}

impl CountTokens for TokenizerFile {
    fn name(&self) -> &str {
        &self.name
    }

    /// Tokens of `text`, without the special tokens that some models put around a text. A text that the tokenizer
    /// refuses is a fault; tokenizers with a byte fall-back or an unknown token refuse none.
    fn count(&self, text: &str) -> Tokens {
        match self.tokenizer.encode_fast(text, false) {
            Ok(encoding) => Tokens(encoding.len() as u64),
            Err(error) => {
                let fault = || format!("{} refuses a text of {} bytes: {error}", self.name, text.len());
                self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(fault);
                Tokens(0)
            }
        }
    }

    fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for TokenizerFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenizerFile").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::TokenizerFile;
    use crate::tokens::CountTokens;
    use crate::transcript::Tokens;

    /// Words by white space; a word that is not in the vocabulary is one unknown token.
    const WORDS: &str = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[
        {"id":0,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
        "normalizer":null,"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,"decoder":null,
        "model":{"type":"WordLevel","vocab":{"[UNK]":0,"one":1,"two":2},"unk_token":"[UNK]"}}"#;

    #[test]
    fn a_file_is_a_tokenizer() {
        let words = TokenizerFile::from_bytes("words.json", WORDS.as_bytes()).unwrap();
        assert_eq!(words.count("one two three, two"), Tokens(5));
        assert_eq!(words.count(""), Tokens(0));
    }

    #[test]
    fn a_refused_text_is_a_fault_and_not_nothing() {
        // Without an unknown token there is nothing that the third word could be.
        let strict = WORDS.replace(r#""unk_token":"[UNK]""#, r#""unk_token":"[NONE]""#);
        let words = TokenizerFile::from_bytes("strict.json", strict.as_bytes()).unwrap();
        assert_eq!((words.count("one two"), words.fault()), (Tokens(2), None));
        words.count("one three");
        let fault = words.fault().unwrap();
        assert!(fault.starts_with("strict.json refuses a text of 9 bytes"), "{fault}");
    }

    #[test]
    fn another_file_is_named_in_the_error() {
        let error = TokenizerFile::from_bytes("notes.json", b"{}").unwrap_err();
        assert!(error.to_string().starts_with("notes.json: not a tokenizer.json"), "{error}");
    }
}

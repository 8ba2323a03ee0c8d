//! Moving inline pictures out of messages that are about to be summarized.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::message::{ChatMessage, Content, Image, Measured, Part};
use crate::digest::hex;

/// A picture that goes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaFile {
    /// Where: `<root>/conversation_history/media/<16 digits of SHA-256>.<extension>`.
    pub path: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// `message` with each inline picture replaced by a link to its file; `None` when it has none.
///
/// Equal pictures share a path; it is for the caller to write each path once. What cannot be decoded becomes a text
/// that says so. `root` is `""` for `/`.
pub fn offload_media<'a>(message: &ChatMessage<'a>, root: &str) -> Option<(ChatMessage<'a>, Vec<MediaFile>)> {
    let Content::Parts(parts) = &message.content else { return None };
    let mut files = Vec::new();
    let mut found = false;
    let moved = parts.iter().map(|part| {
        let Some((data, media_type)) = inline(part) else { return part.clone() };
        found = true;
        let Some(bytes) = decode_base64(data) else {
            return Part::Text(Measured::new("<image error=\"failed_to_offload\" />"));
        };
        let name = hex(&Sha256::digest(&bytes)[..8]);
        let path = format!("{root}/conversation_history/media/{name}.{}", extension(media_type));
        files.push(MediaFile { path: path.clone(), bytes });
        Part::Image(Image::Link(Cow::Owned(path)))
    });
    let parts = moved.collect();
    found.then(|| (message.with_content(Content::Parts(parts)), files))
}

/// Base64 data and media type of an inline picture, given directly or as a `data:` URL.
fn inline<'p>(part: &'p Part<'_>) -> Option<(&'p str, &'p str)> {
    match part {
        Part::Image(Image::Inline { data, media_type }) => Some((data, media_type)),
        Part::Image(Image::Link(url)) => {
            let (header, data) = url.strip_prefix("data:")?.split_once(',')?;
            Some((data, header.split(';').next().unwrap_or_default()))
        }
        _ => None,
    }
}

fn extension(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "image/bmp" => "bmp",
        "image/tiff" => "tiff",
        _ => "bin",
    }
}

/// Base64 as Python reads it: foreign characters are passed over. `None` when digits are missing at the end.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut buffer, mut bits, mut digits, mut padding) = (0u32, 0u32, 0usize, 0usize);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                continue;
            }
            _ => continue,
        };
        digits += 1;
        buffer = buffer << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits).to_be_bytes()[3]);
            buffer &= (1 << bits) - 1;
        }
    }
    let enough = match digits % 4 {
        0 => true,
        1 => false,
        rest => padding >= 4 - rest,
    };
    enough.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::decode_base64;

    #[test]
    fn base64_is_read_as_python_reads_it() {
        assert_eq!(decode_base64("TWFu").as_deref(), Some(b"Man".as_slice()));
        assert_eq!(decode_base64("TW\nE=").as_deref(), Some(b"Ma".as_slice()));
        assert_eq!(decode_base64("TQ==").as_deref(), Some(b"M".as_slice()));
        assert_eq!(decode_base64("TQ"), None);
    }
}

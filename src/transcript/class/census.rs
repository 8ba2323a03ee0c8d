//! Bytes and characters of a text by kind, in one pass.

/// The script most of a text is written in. It stands in for the language, which cannot be told from a script alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Script {
    /// Latin letters: English and most others of Europe.
    Latin,
    /// Han characters without kana.
    Chinese,
    /// Kana, with or without Han characters.
    Japanese,
    /// Hangul.
    Korean,
    /// Cyrillic letters.
    Cyrillic,
    /// Another script, or emoji.
    Other,
    /// No letters.
    #[default]
    None,
}

impl Script {
    /// All, in the order of reports.
    pub const ALL: [Self; 7] =
        [Self::Latin, Self::Chinese, Self::Japanese, Self::Korean, Self::Cyrillic, Self::Other, Self::None];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Latin => "latin",
            Self::Chinese => "chinese",
            Self::Japanese => "japanese",
            Self::Korean => "korean",
            Self::Cyrillic => "cyrillic",
            Self::Other => "other",
            Self::None => "none",
        }
    }
}

/// Unbroken runs shorter than this are names, not data: a SHA-1 in hexadecimal has 40 digits.
const RUN: usize = 40;

/// Counts of one text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Census {
    /// Visible characters: everything but white space.
    visible: usize,
    /// Their bytes.
    visible_bytes: usize,
    latin: usize,
    han: usize,
    kana: usize,
    hangul: usize,
    cyrillic: usize,
    other: usize,
    /// Bytes in runs of base64 or hexadecimal digits.
    encoded: usize,
}

/// An unbroken run of base64 digits.
#[derive(Clone, Copy, Default)]
struct Run {
    len: usize,
    upper: usize,
    lower: usize,
    digit: usize,
    /// Letters above F.
    beyond_hex: usize,
}

impl Run {
    /// Takes a byte; whether it is of the alphabet (both kinds of base64).
    fn takes(&mut self, byte: u8) -> bool {
        match byte {
            b'A'..=b'Z' => self.upper += 1,
            b'a'..=b'z' => self.lower += 1,
            b'0'..=b'9' => self.digit += 1,
            b'+' | b'/' | b'=' | b'-' | b'_' => {}
            _ => return false,
        }
        self.beyond_hex += usize::from(matches!(byte, b'G'..=b'Z' | b'g'..=b'z' | b'+' | b'/' | b'=' | b'-' | b'_'));
        self.len += 1;
        true
    }

    /// Bytes of data in it. Random base64 has 40 % of either case and 16 % digits: a word, a path or a row of dashes lacks one.
    fn data(&self) -> usize {
        if self.len < RUN {
            return 0;
        }
        let hex = self.beyond_hex == 0 && self.digit * 8 >= self.len && self.digit < self.len;
        let base64 = self.upper * 8 >= self.len && self.lower * 8 >= self.len && self.digit * 25 >= self.len;
        if hex || base64 { self.len } else { 0 }
    }
}

impl Census {
    /// Counts a text.
    pub(super) fn of(text: &str) -> Self {
        let mut census = Self::default();
        let mut run = Run::default();
        for character in text.chars() {
            if character.is_ascii() {
                let byte = character as u8;
                if !run.takes(byte) {
                    census.encoded += std::mem::take(&mut run).data();
                }
                let visible = usize::from(byte > b' ');
                census.visible += visible;
                census.visible_bytes += visible;
                census.latin += usize::from(byte.is_ascii_alphabetic());
            } else {
                census.encoded += std::mem::take(&mut run).data();
                census.wide(character);
            }
        }
        census.encoded += run.data();
        census
    }

    fn wide(&mut self, character: char) {
        if character.is_whitespace() {
            return;
        }
        self.visible += 1;
        self.visible_bytes += character.len_utf8();
        match character {
            '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' => self.kana += 1,
            // Ideographs, and the punctuation and full-width forms that go with them.
            '\u{3000}'..='\u{303F}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF00}'..='\u{FF65}'
            | '\u{20000}'..='\u{3FFFF}' => self.han += 1,
            '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}' => self.hangul += 1,
            '\u{0400}'..='\u{052F}' => self.cyrillic += 1,
            '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}' => self.latin += 1,
            _ if character.is_alphabetic() || character >= '\u{1F000}' => self.other += 1,
            _ => {}
        }
    }

    fn east_asian(&self) -> usize {
        self.han + self.kana + self.hangul
    }

    /// A quarter of the visible characters. A text of 25 % ideographs has most of its tokens in them.
    pub(super) fn is_cjk(&self) -> bool {
        self.east_asian() > 0 && self.east_asian() * 4 >= self.visible
    }

    /// Half of the visible bytes.
    pub(super) fn is_encoded(&self) -> bool {
        self.encoded > 0 && self.encoded * 2 >= self.visible_bytes
    }

    /// The script of most letters; East Asian from the share on that makes a text CJK.
    pub(super) fn script(&self) -> Script {
        if self.is_cjk() {
            return match () {
                () if self.hangul * 2 >= self.east_asian() => Script::Korean,
                // Japanese prose has more kana than this; Chinese has none.
                () if self.kana * 10 >= self.east_asian() => Script::Japanese,
                () => Script::Chinese,
            };
        }
        let counts = [(self.latin, Script::Latin), (self.cyrillic, Script::Cyrillic), (self.other, Script::Other)];
        let most = counts.into_iter().rev().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > 0).map_or(Script::None, |(_, script)| script)
    }
}

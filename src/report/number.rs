//! Numbers as people read them. Everything here is fixed precision, so that equal numbers give equal bytes everywhere.

use crate::results::MeasureDef;

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Whole, thousands apart: `12,345`.
    Whole,
    /// One decimal: `2.5`.
    Tenth,
    /// A ratio as a percentage with one decimal, without the sign: `12.3`.
    Percent,
    /// The same with its direction: `+12.3`.
    SignedPercent,
    /// Three decimals: `0.417`.
    Score,
    /// Dollars with four decimals: `1.2345`.
    Dollars,
}

impl Format {
    /// The format for one value of this measure.
    pub fn of(def: &MeasureDef) -> Self {
        match def.unit.as_str() {
            "tokens" | "count" => Self::Whole,
            "requests" => Self::Tenth,
            "usd" => Self::Dollars,
            "ratio" if is_signed(&def.name) => Self::SignedPercent,
            "ratio" => Self::Percent,
            _ => Self::Score,
        }
    }

    /// The format for a mean of this measure: a mean of counts has a decimal.
    pub fn mean_of(def: &MeasureDef) -> Self {
        match Self::of(def) {
            Self::Whole if def.unit == "count" => Self::Tenth,
            format => format,
        }
    }

    /// Writes the number. A minus is U+2212, so that it cannot be taken for the dash of a void.
    pub fn write(self, value: f64) -> String {
        let text = match self {
            Self::Whole => grouped(&format!("{value:.0}")),
            Self::Tenth => grouped(&format!("{value:.1}")),
            Self::Percent | Self::SignedPercent => format!("{:.1}", value * 100.0),
            Self::Score => format!("{value:.3}"),
            Self::Dollars => grouped(&format!("{value:.4}")),
        };
        let zero = !text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        match text.strip_prefix('-') {
            Some(rest) if zero => rest.to_owned(),
            Some(rest) => format!("\u{2212}{rest}"),
            None if self == Self::SignedPercent && !zero => format!("+{text}"),
            None => text,
        }
    }
}

/// An error that has a direction: its sign says over- or underestimated.
fn is_signed(name: &str) -> bool {
    name.contains("error") && !name.contains("abs")
}

/// The unit of a column of this measure, as its header says it.
pub(super) fn unit_label(def: &MeasureDef) -> &str {
    match def.unit.as_str() {
        "ratio" => "%",
        unit => unit,
    }
}

/// `1 break`, `2 breaks`.
pub(super) fn counted(value: usize, of: &str) -> String {
    format!("{} {of}{}", count(value as u64), if value == 1 { "" } else { "s" })
}

/// A count with thousands apart.
pub(super) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A count short enough for an axis or a narrow table: `950`, `12.3k`, `200k`, `1.25M`.
pub(super) fn short(value: f64) -> String {
    let trimmed = |text: String| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    match value.abs() {
        size if size < 999.5 => trimmed(format!("{value:.0}")),
        size if size < 99_950.0 => trimmed(format!("{:.1}", value / 1e3)) + "k",
        size if size < 999_500.0 => format!("{:.0}k", value / 1e3),
        _ => trimmed(format!("{:.2}", value / 1e6)) + "M",
    }
}

/// A count as a number to reckon with. Counts of a replay are far below 2^53.
#[expect(clippy::cast_precision_loss, reason = "token and message counts are far below 2^53")]
pub(super) fn real(value: u64) -> f64 {
    value as f64
}

fn grouped(digits: &str) -> String {
    let (sign, rest) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let (whole, fraction) = rest.find('.').map_or((rest, ""), |dot| rest.split_at(dot));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(Format::Whole.write(1_234_567.0), "1,234,567");
        assert_eq!(Format::Whole.write(-1234.4), "\u{2212}1,234");
        assert_eq!(Format::Whole.write(999.0), "999");
        assert_eq!(Format::Tenth.write(1000.25), "1,000.2");
        assert_eq!(Format::SignedPercent.write(0.1234), "+12.3");
        assert_eq!(Format::SignedPercent.write(-0.5), "\u{2212}50.0");
        assert_eq!(Format::SignedPercent.write(-0.0001), "0.0");
        assert_eq!(Format::Percent.write(0.5), "50.0");
        assert_eq!(Format::Score.write(0.416_666), "0.417");
    }

    #[test]
    fn short_counts() {
        let cases = [(0.0, "0"), (950.0, "950"), (1000.0, "1k"), (12_345.0, "12.3k"), (200_000.0, "200k")];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
        assert_eq!(short(999_600.0), "1M");
        assert_eq!(short(1_250_000.0), "1.25M");
    }
}

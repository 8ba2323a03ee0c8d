//! Numbers as ECMAScript and Python print them.

use std::io::Write;

use super::print::Out;

/// The shortest decimal digits that read back as the same double: value = 0.d1d2…dk × 10^`point`.
struct Shortest {
    digits: [u8; 17],
    len: usize,
    point: i32,
}

impl Shortest {
    /// Of a finite number, without its sign. Rust's `{:e}` gives the shortest digits, nearest to the value: the rule
    /// that V8 and Python follow too.
    fn of(value: f64) -> Self {
        let mut buffer = [0_u8; 32];
        let mut rest = &mut buffer[..];
        // At most 17 digits, a point, "e-324": it fits, and writing to memory that is large enough does not fail.
        let written = write!(rest, "{:e}", value.abs()).map_or(0, |()| 32 - rest.len());
        let mut shortest = Self { digits: [b'0'; 17], len: 0, point: 1 };
        let mut parts = buffer[..written].split(|&byte| byte == b'e');
        for &digit in parts.next().unwrap_or_default().iter().filter(|byte| byte.is_ascii_digit()) {
            shortest.digits[shortest.len] = digit;
            shortest.len += 1;
        }
        let exponent = parts.next().and_then(|text| std::str::from_utf8(text).ok());
        shortest.point = 1 + exponent.and_then(|text| text.parse::<i32>().ok()).unwrap_or(0);
        shortest
    }

    fn digits(&self) -> &str {
        std::str::from_utf8(&self.digits[..self.len]).unwrap_or_default()
    }

    /// Positional notation, with zeros where the digits do not reach the point.
    fn positional(&self, out: &mut impl Out) {
        let digits = self.digits();
        match usize::try_from(self.point) {
            Ok(point) if point >= digits.len() => {
                out.run(digits);
                zeros(point - digits.len(), out);
            }
            Ok(point) if point > 0 => {
                out.run(&digits[..point]);
                out.run(".");
                out.run(&digits[point..]);
            }
            _ => {
                out.run("0.");
                zeros(self.point.unsigned_abs() as usize, out);
                out.run(digits);
            }
        }
    }

    /// `d.ddde±x`, the exponent with at least `width` digits.
    fn scientific(&self, width: usize, out: &mut impl Out) {
        let (first, rest) = self.digits().split_at(1);
        out.run(first);
        if !rest.is_empty() {
            out.run(".");
            out.run(rest);
        }
        let exponent = self.point - 1;
        out.run(if exponent < 0 { "e-" } else { "e+" });
        let magnitude = exponent.unsigned_abs();
        if width == 2 && magnitude < 10 {
            out.run("0");
        }
        integer(magnitude, out);
    }
}

fn zeros(count: usize, out: &mut impl Out) {
    for _ in 0..count {
        out.run("0");
    }
}

/// A number of at most three digits.
fn integer(value: u32, out: &mut impl Out) {
    for (unit, least) in [(100, 100), (10, 10), (1, 0)] {
        if value >= least {
            out.char(char::from_digit(value / unit % 10, 10).unwrap_or('0'));
        }
    }
}

/// Prints the number spelled `raw` as `JSON.stringify` does (ECMAScript, `Number::toString`): `null` when it is too
/// large for a double, no sign on zero, exponents from 1e21 and below 1e-6.
pub(super) fn javascript(raw: &str, out: &mut impl Out) {
    if canonical_integer(raw) {
        return out.run(raw);
    }
    let value: f64 = raw.parse().unwrap_or(f64::INFINITY);
    if value.is_infinite() {
        return out.run("null");
    }
    let shortest = Shortest::of(value);
    if value < 0.0 {
        out.run("-");
    }
    if (-5..=21).contains(&shortest.point) {
        shortest.positional(out);
    } else {
        shortest.scientific(1, out);
    }
}

/// Whether `raw` is an integer that both languages print as it stands: no leading zero, no `-0`, and few enough digits
/// (15) to be exact in a double.
pub(super) fn canonical_integer(raw: &str) -> bool {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    match digits.as_bytes() {
        [b'0'] => digits.len() == raw.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 15 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Prints the number spelled `raw` as Python's `repr` does. An integer keeps all its digits; a float is the shortest
/// that reads back, with exponents from 1e16 and below 1e-4. `infinity` is the word for what is too large.
pub(super) fn python(raw: &str, infinity: &str, out: &mut impl Out) {
    if !raw.contains(['.', 'e', 'E']) {
        return out.run(if raw == "-0" { "0" } else { raw });
    }
    let value: f64 = raw.parse().unwrap_or(f64::INFINITY);
    if value.is_sign_negative() {
        out.run("-");
    }
    if value.is_infinite() {
        return out.run(infinity);
    }
    let shortest = Shortest::of(value);
    if !(-3..=16).contains(&shortest.point) {
        return shortest.scientific(2, out);
    }
    shortest.positional(out);
    if usize::try_from(shortest.point).is_ok_and(|point| point >= shortest.len) {
        out.run(".0");
    }
}

#[cfg(test)]
mod tests {
    use super::{canonical_integer, javascript, python};

    fn js(raw: &str) -> String {
        let mut out = String::new();
        javascript(raw, &mut out);
        out
    }

    fn py(raw: &str) -> String {
        let mut out = String::new();
        python(raw, "inf", &mut out);
        out
    }

    #[test]
    fn javascript_numbers() {
        let cases = [
            ("1.0", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("1e400", "null"),
            ("-1e400", "null"),
            ("1e-400", "0"),
            ("9007199254740993", "9007199254740992"),
            ("123456789012345680000", "123456789012345680000"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("-1.5E+2", "-150"),
            ("123.456", "123.456"),
            ("1.5e-10", "1.5e-10"),
            ("0.1", "0.1"),
        ];
        for (raw, expected) in cases {
            assert_eq!(js(raw), expected, "{raw}");
        }
    }

    #[test]
    fn python_numbers() {
        let cases = [
            ("1.0", "1.0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("1e16", "1e+16"),
            ("1e15", "1000000000000000.0"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1e400", "inf"),
            ("-1e400", "-inf"),
            ("1E5", "100000.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1e-324", "0.0"),
            ("1.5e300", "1.5e+300"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("12.50", "12.5"),
        ];
        for (raw, expected) in cases {
            assert_eq!(py(raw), expected, "{raw}");
        }
    }

    #[test]
    fn integers_up_to_fifteen_digits_are_canonical() {
        for (raw, expected) in [
            ("0", true),
            ("-0", false),
            ("-7", true),
            ("999999999999999", true),
            ("1000000000000000", false),
            ("1.5", false),
            ("1e5", false),
            ("", false),
        ] {
            assert_eq!(canonical_integer(raw), expected, "{raw}");
        }
    }
}

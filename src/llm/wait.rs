//! How long a provider asks to be left alone.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// The headers of an answer that say so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WaitHeaders<'a> {
    /// `Retry-After`: seconds, or a date.
    pub(super) after: Option<&'a str>,
    /// `retry-after-ms`, which `OpenAI` sends beside it, and which is exact.
    pub(super) after_ms: Option<&'a str>,
    /// `Date`: the server's clock, by which it means its date.
    pub(super) date: Option<&'a str>,
}

impl WaitHeaders<'_> {
    /// The wait; `None` when none is asked for, or it cannot be read. A date that has passed asks for no wait.
    pub(super) fn wait(&self, now: SystemTime) -> Option<Duration> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number));
        let seconds = |text: &str| number(text.trim().trim_end_matches('s')).map(Duration::from_secs_f64);
        let exact = self.after_ms.and_then(number).map(|ms| Duration::from_secs_f64(ms / 1_000.0));
        exact.or_else(|| self.after.and_then(seconds)).or_else(|| self.until(now))
    }

    fn until(&self, now: SystemTime) -> Option<Duration> {
        let then = date(self.after?)?;
        let own = || Timestamp::try_from(now).ok();
        let now = self.date.and_then(date).or_else(own)?;
        Some(Duration::try_from(then.duration_since(now)).unwrap_or(Duration::ZERO))
    }
}

/// A date in one of the three forms of HTTP (RFC 9110, section 5.6.7).
fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(time) = rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text) {
        return Some(time);
    }
    // The two old forms name no offset: they are in UTC.
    let with_offset = format!("{text} +0000");
    let forms = ["%A, %d-%b-%y %H:%M:%S GMT %z", "%a %b %e %H:%M:%S %Y %z"];
    forms.into_iter().find_map(|form| Timestamp::strptime(form, &with_offset).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(after: &str, after_ms: Option<&str>, date: Option<&str>) -> Option<Duration> {
        // 2026-10-21 07:27:00 UTC.
        let now = SystemTime::UNIX_EPOCH + Duration::from_mins(29_876_127);
        WaitHeaders { after: Some(after), after_ms, date }.wait(now)
    }

    #[test]
    fn seconds_and_milliseconds() {
        let of = |text: &str| wait(text, None, None);
        assert_eq!(of("20"), Some(Duration::from_secs(20)));
        assert_eq!(of(" 1.5 "), Some(Duration::from_millis(1_500)));
        assert_eq!(of("7s"), Some(Duration::from_secs(7)));
        assert_eq!(of("0"), Some(Duration::ZERO));
        assert_eq!(wait("20", Some("1500"), None), Some(Duration::from_millis(1_500)));
        for wrong in ["-1", "", "soon", "1e300", "NaN"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(WaitHeaders::default().wait(SystemTime::UNIX_EPOCH), None);
    }

    #[test]
    fn dates_in_all_forms_by_the_clock_of_the_server() {
        let minute = Some(Duration::from_mins(1));
        let forms = ["Wed, 21 Oct 2026 07:28:00 GMT", "Wednesday, 21-Oct-26 07:28:00 GMT", "Wed Oct 21 07:28:00 2026"];
        for form in forms {
            assert_eq!(wait(form, None, None), minute, "{form}");
        }
        // The server's clock is half a minute ahead: it means half a minute.
        let ahead = "Wed, 21 Oct 2026 07:27:30 GMT";
        assert_eq!(wait(forms[0], None, Some(ahead)), Some(Duration::from_secs(30)));
        assert_eq!(wait(forms[0], None, Some("a Wednesday")), minute);
        assert_eq!(wait("Wed, 21 Oct 2026 07:26:00 GMT", None, None), Some(Duration::ZERO), "it has passed");
        assert_eq!(wait("Wed, 42 Oct 2026 07:28:00 GMT", None, None), None);
    }
}

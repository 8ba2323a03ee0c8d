//! An audit as records, with dollars.

use super::{Audited, Session};
use crate::meter::cache::{AuditRow, Explanation, Split};
use crate::meter::price::{LatencyRow, PriceBook};
use crate::results::{CacheRequestRecord, CacheSessionRecord};
use crate::transcript::{EntryKind, Tokens};

/// The records of an audited session under this name: one per request, and one of all. A latency row counts for every model;
/// without one, times are those of the book's rows.
pub fn audit_records(
    session: &Session,
    name: &str,
    audited: &Audited,
    (book, latency): (&PriceBook, Option<&LatencyRow>),
) -> (Vec<CacheRequestRecord>, CacheSessionRecord) {
    let record = |row| CacheRequestRecord { session: name.to_owned(), ..request(session, row, (book, latency)) };
    let requests: Vec<_> = audited.rows.iter().map(record).collect();
    let whole = whole(name, audited, &requests);
    (requests, whole)
}

fn request(
    session: &Session,
    row: &AuditRow,
    (book, latency): (&PriceBook, Option<&LatencyRow>),
) -> CacheRequestRecord {
    let day = row.moment.known.then(|| day(row.moment.at.0)).flatten();
    let price = book.find(&row.model, day.as_deref()).or_else(|| book.find(&row.model, None));
    let usd = |split: &Split| price.map(|price| price.bill(split, row.output).total().0);
    let prompt = row.recorded.unwrap_or(row.simulated).prompt();
    let uncached = Split { plain: prompt, ..Split::default() };
    let latency = latency.or_else(|| book.latency(&row.model));
    let first_token = |split: &Split| latency.map(|latency| latency.first_token_ms(split));
    let recorded = |part: fn(&Split) -> Tokens| row.recorded.as_ref().map(|split| part(split).0);
    let missed = |part: fn(&crate::meter::cache::Break) -> Tokens| row.missed.as_ref().map(|missed| part(missed).0);
    CacheRequestRecord {
        provider: row.provider.to_owned(),
        request: row.request,
        line: row.line as u64,
        start_ms: row.moment.at.0,
        start_known: row.moment.known,
        model: row.model.to_string(),
        after_compaction: row.compacted,
        given: row.given,
        breakpoints: if row.marked { "recorded" } else { "policy" }.to_owned(),
        prompt_tokens: prompt.0,
        recorded_read_tokens: recorded(|split| split.read),
        recorded_write_tokens: recorded(|split| split.write),
        recorded_write_long_tokens: recorded(|split| split.write_long),
        recorded_plain_tokens: recorded(|split| split.plain),
        simulated_read_tokens: row.simulated.read.0,
        simulated_write_tokens: row.simulated.write.0,
        simulated_write_long_tokens: row.simulated.write_long.0,
        simulated_plain_tokens: row.simulated.plain.0,
        read_error_ratio: row.error(),
        simulated_break: row.missed.map(|missed| missed.reason.name().to_owned()),
        simulated_lost_tokens: missed(|missed| missed.lost),
        lost_content_tokens: missed(|missed| missed.content),
        lost_lifetime_tokens: missed(|missed| missed.lifetime),
        lost_granularity_tokens: missed(|missed| missed.granularity),
        lost_placement_tokens: missed(|missed| missed.placement),
        recorded_break: row.broken.map(|(_, why)| why.name().to_owned()),
        recorded_break_basis: row.broken.map(|(_, why)| why.basis().to_owned()),
        recorded_lost_tokens: row.broken.map(|(lost, _)| lost.0),
        price_row: price.map(|price| price.name.clone()),
        recorded_usd: row.recorded.as_ref().and_then(usd),
        simulated_usd: row.recorded.and_then(|_| usd(&row.simulated)),
        uncached_usd: row.recorded.and_then(|_| usd(&uncached)),
        file_usd: file_usd(session, row),
        latency_row: latency.map(|latency| latency.name.clone()),
        recorded_model_first_token_ms: row.recorded.as_ref().and_then(first_token),
        simulated_model_first_token_ms: row.recorded.and_then(|_| first_token(&row.simulated)),
        uncached_model_first_token_ms: row.recorded.and_then(|_| first_token(&uncached)),
        ..CacheRequestRecord::default()
    }
}

/// The day of a moment, as the price book writes it.
fn day(ms: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(ms).ok()?;
    Some(time.to_string().chars().take(10).collect())
}

fn file_usd(session: &Session, row: &AuditRow) -> Option<f64> {
    let entry = session.transcript.entries.iter().find(|entry| entry.line == row.line);
    let EntryKind::Message(message) = &entry?.kind else { return None };
    Some(message.reply()?.usage?.cost?.total)
}

fn whole(name: &str, audited: &Audited, requests: &[CacheRequestRecord]) -> CacheSessionRecord {
    let rows = &audited.rows;
    let compared: Vec<_> = rows.iter().filter(|row| row.error().is_some()).collect();
    let basis = |wanted: &str| count(rows, |row| row.broken.is_some_and(|(_, why)| why.basis() == wanted));
    let is_hidden = |row: &&&AuditRow| {
        row.broken.is_some_and(|(_, why)| matches!(why, Explanation::Inferred(_) | Explanation::Unexplained))
    };
    let sums = |rows: &mut dyn Iterator<Item = &&AuditRow>| {
        rows.fold((0, 0), |(simulated, recorded), row| {
            (simulated + row.simulated.read.0, recorded + row.recorded.map_or(0, |split| split.read.0))
        })
    };
    let (simulated, recorded) = sums(&mut compared.iter());
    let open = sums(&mut compared.iter().filter(|row| !is_hidden(row)));
    let splits: Vec<Split> = rows.iter().filter_map(|row| row.recorded).collect();
    let total = |part: fn(&Split) -> Tokens| splits.iter().map(|split| part(split).0).sum::<u64>();
    let largest = splits.iter().map(|split| split.prompt().0).max().unwrap_or(0);
    let (usd, void) = dollars(requests);
    let head = audited.head.inferred;
    CacheSessionRecord {
        session: name.to_owned(),
        provider: audited.provider.name.to_owned(),
        provider_basis: audited.basis.name().to_owned(),
        source: format!("{}, read {}", audited.provider.source, audited.provider.date),
        best_effort: audited.provider.best_effort.map(str::to_owned),
        requests: rows.len() as u64,
        compared: compared.len() as u64,
        not_compared: compared.is_empty().then(|| not_compared(rows).to_owned()),
        untimed: audited.untimed as u64,
        marked: count(rows, |row| row.marked),
        inferred_head_tokens: head.map(|head| head.stable.0),
        inferred_opening_tokens: head.map(|head| head.opening.0),
        shared_head: audited.head.shared,
        prompt_tokens: total(Split::prompt),
        recorded_read_tokens: recorded,
        simulated_read_tokens: simulated,
        median_error_ratio: median(compared.iter().filter_map(|row| row.error()).map(f64::abs).collect()),
        total_error_ratio: excess(simulated, recorded),
        total_error_without_hidden_ratio: excess(open.0, open.1),
        breaks: count(rows, |row| row.broken.is_some()),
        breaks_known: basis("known"),
        breaks_inferred: basis("inferred"),
        breaks_unexplained: basis("unexplained"),
        breaks_false: count(rows, |row| {
            let is_break = row.missed.is_some_and(|missed| missed.lost.0 > 1_024);
            is_break && row.broken.is_none() && row.recorded.is_some() && row.error().is_some_and(|error| error < -0.05)
        }),
        hit_ratio: share(total(|split| split.read), total(Split::prompt)),
        rewrite_factor: share(total(|split| split.write + split.write_long), largest).filter(|factor| *factor > 0.0),
        price_rows: names(requests, |request| request.price_row.as_deref()),
        recorded_usd: usd[0],
        simulated_usd: usd[1],
        uncached_usd: usd[2],
        file_usd: usd[3].filter(|usd| *usd > 0.0),
        void,
        latency_rows: names(requests, |request| request.latency_row.as_deref()),
        recorded_model_first_token_ms: mean_ms(requests, |request| request.recorded_model_first_token_ms),
        simulated_model_first_token_ms: mean_ms(requests, |request| request.simulated_model_first_token_ms),
        uncached_model_first_token_ms: mean_ms(requests, |request| request.uncached_model_first_token_ms),
    }
}

/// The mean over the requests with recorded usage; `None` when one of them has no time.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn mean_ms(requests: &[CacheRequestRecord], of: impl Fn(&CacheRequestRecord) -> Option<f64>) -> Option<f64> {
    let with_usage = requests.iter().filter(|request| request.recorded_read_tokens.is_some());
    let times: Vec<f64> = with_usage.map(of).collect::<Option<_>>()?;
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Why nothing can be compared.
fn not_compared(rows: &[AuditRow]) -> &'static str {
    let recorded = || rows.iter().filter_map(|row| row.recorded);
    match recorded().count() {
        0 => "no usage is recorded",
        _ if recorded().all(|split| split.prompt() == split.plain) => {
            "no cache use is recorded: none was asked for, or the file does not tell"
        }
        _ => "the first request is given, and there is no other",
    }
}

fn count(rows: &[AuditRow], test: impl Fn(&AuditRow) -> bool) -> u64 {
    rows.iter().filter(|row| test(row)).count() as u64
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn excess(simulated: u64, recorded: u64) -> Option<f64> {
    share(simulated, recorded).map(|ratio| ratio - 1.0)
}

/// The middle value; of an even number, the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        even if even.is_multiple_of(2) => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

fn names<'r>(requests: &'r [CacheRequestRecord], of: impl Fn(&'r CacheRequestRecord) -> Option<&'r str>) -> String {
    let mut names: Vec<&str> = requests.iter().filter_map(of).collect();
    names.sort_unstable();
    names.dedup();
    names.join(" ")
}

/// Recorded, simulated and uncached dollars, and those of the file; or why there are none.
fn dollars(requests: &[CacheRequestRecord]) -> ([Option<f64>; 4], Option<String>) {
    let rows = || requests.iter().filter(|request| request.recorded_read_tokens.is_some());
    let file = rows().filter_map(|request| request.file_usd).reduce(|sum, usd| sum + usd);
    if rows().next().is_none() {
        return ([None, None, None, file], Some("no usage is recorded".to_owned()));
    }
    if let Some(without) = rows().find(|request| request.price_row.is_none()) {
        let reason = format!("no price of {:?} is known", without.model);
        return ([None, None, None, file], Some(reason));
    }
    let sum = |part: fn(&CacheRequestRecord) -> Option<f64>| Some(rows().filter_map(part).sum());
    let usd = [
        sum(|request| request.recorded_usd),
        sum(|request| request.simulated_usd),
        sum(|request| request.uncached_usd),
        file,
    ];
    (usd, None)
}

#[cfg(test)]
mod tests {
    use super::super::read_time;
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_two() {
        assert_eq!(median(vec![3.0, 1.0]), Some(2.0));
        assert_eq!(median(vec![5.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn a_day_is_the_one_of_utc() {
        assert_eq!(day(0).as_deref(), Some("1970-01-01"));
        assert_eq!(read_time("2026-10-06T23:59:59.999Z").and_then(|at| day(at.0)).as_deref(), Some("2026-10-06"));
    }
}

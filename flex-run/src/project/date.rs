//! Times and days, as files write them.

use std::time::{SystemTime, UNIX_EPOCH};

/// The seconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The day in UTC, as `YYYY-MM-DD`.
pub fn today() -> String {
    day_at(now())
}

/// The day of a time in seconds since 1970.
pub fn day_at(at: u64) -> String {
    day(at.min(LAST) / 86_400)
}

/// The last second of the year 9999. Files may state any.
const LAST: u64 = 253_402_300_799;

/// The first second of a day in UTC, which is written as `YYYY-MM-DD`; `None` if there is no such day.
#[inline]
pub fn time_of_day(text: &str) -> Option<u64> {
    // Days are written as they are counted.
    let (mut low, mut high) = (0, LAST / 86_400);
    while low < high {
        let middle = low.midpoint(high);
        match day(middle).as_str() < text {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    (day(low) == text).then_some(low * 86_400)
}

/// The day so many days after 1970-01-01, in the Gregorian calendar.
fn day(mut days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_agree_with_the_calendar() {
        // date -u -d @$((days * 86400)) +%F
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(59), "1970-03-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(11_017), "2000-03-01");
        assert_eq!(day(20_773), "2026-11-16");
        assert_eq!(day(20_818), "2026-12-31");
        assert_eq!(day(20_819), "2027-01-01");
        assert_eq!(day_at(u64::MAX), "9999-12-31");
    }

    #[test]
    fn the_time_of_a_day_is_that_of_the_calendar() {
        // date -u -d 2026-11-18 +%s
        assert_eq!(time_of_day("2026-11-18"), Some(1_794_960_000));
        assert_eq!(time_of_day("1970-01-01"), Some(0));
        for wrong in [
            "2026-02-30",
            "2026-13-01",
            "1969-12-31",
            "2026-11-1x",
            "99999-01-01",
        ] {
            assert_eq!(time_of_day(wrong), None, "{wrong}");
        }
    }
}

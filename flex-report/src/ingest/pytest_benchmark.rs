//! pytest-benchmark: the file of `--benchmark-json`, with all benchmarks of a session.

use serde::Deserialize;

use super::measured::{Origin, line, median};

#[derive(Deserialize)]
struct Session {
    #[serde(default)]
    datetime: Option<String>,
    #[serde(default)]
    commit_info: Option<CommitInfo>,
    benchmarks: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct CommitInfo {
    #[serde(default)]
    id: Option<String>,
}

#[derive(Deserialize)]
struct Benchmark {
    fullname: String,
    stats: Stats,
}

#[derive(Deserialize)]
struct Stats {
    median: f64,
    #[serde(default)]
    data: Vec<f64>,
}

/// A line for each benchmark of a file. What the file does not say of when and where is taken from `origin`.
pub fn pytest_benchmark_lines(text: &str, origin: &Origin) -> Result<Vec<String>, String> {
    let session: Session = serde_json::from_str(text)
        .map_err(|error| format!("it is not what --benchmark-json writes: {error}"))?;
    let commit = session.commit_info.and_then(|info| info.id);
    let at = session.datetime.as_deref().and_then(seconds_of);
    let origin = Origin {
        at: at.unwrap_or(origin.at),
        commit: commit.or_else(|| origin.commit.clone()),
    };
    let of = |benchmark: &Benchmark| {
        let stats = &benchmark.stats;
        let seconds = median(&stats.data).or_else(|| median(&[stats.median]))?;
        Some(line(
            "pytest-benchmark",
            &benchmark.fullname,
            seconds,
            text,
            &origin,
        ))
    };
    Ok(session.benchmarks.iter().filter_map(of).collect())
}

/// The seconds since 1970 of a time like `2026-11-18T20:04:05.123456+00:00`, or without a zone, which is UTC then.
fn seconds_of(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let is_sign = |at: usize, sign: u8| text.as_bytes().get(at) == Some(&sign);
    let is_time = is_sign(4, b'-') && is_sign(7, b'-') && is_sign(13, b':') && is_sign(16, b':');
    if !is_time {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let zone = match text.get(19..)?.rfind(['+', '-']) {
        Some(place) => {
            let at = 19 + place;
            let minutes = 60 * number(at + 1, at + 3)? + number(at + 4, at + 6)?;
            if is_sign(at, b'-') { -minutes } else { minutes }
        }
        None => 0,
    };
    // Days of the Gregorian calendar, counted in years that begin in March.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = (number(11, 13)? * 60 + number(14, 16)? - zone) * 60 + number(17, 19)?;
    u64::try_from((days - 719_468) * 86_400 + seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_python() {
        // datetime.datetime.fromisoformat(…).timestamp(), the second with tzinfo=UTC.
        for (text, expected) in [
            ("2026-11-18T20:04:05.123456+00:00", Some(1_795_032_245)),
            ("2024-02-29T23:59:59", Some(1_709_251_199)),
            ("2000-03-01T00:30:00-05:30", Some(951_890_400)),
            ("yesterday", None),
            ("2026-11-1", None),
        ] {
            assert_eq!(seconds_of(text), expected, "{text}");
        }
    }
}

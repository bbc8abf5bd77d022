//! Times as people write them.

use std::time::Duration;

use flex_core::visible::visible;

/// Reads times like `90s`, `5m` and `1h30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{}` is not a time like 90s, 5m or 1h30m", visible(text));
    let mut seconds = 0.0;
    let mut number = String::new();
    for c in text.chars() {
        let unit = match c {
            '0'..='9' | '.' => {
                number.push(c);
                continue;
            }
            'h' => 3600.0,
            'm' => 60.0,
            's' => 1.0,
            _ => return Err(wrong()),
        };
        seconds += unit * number.parse::<f64>().map_err(|_| wrong())?;
        number.clear();
    }
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if number.is_empty() && !time.is_zero() {
        Ok(time)
    } else {
        Err(wrong())
    }
}

/// Writes a time so that [`parse_duration`] reads it.
pub fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, seconds) in [("90s", 90), ("5m", 300), ("1h30m", 5400), ("0.5m", 30)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "5", "m", "5x", "-5m", "0s", "1e9h", "5m3"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for millis in [1, 90_000, 1_500] {
            let time = Duration::from_millis(millis);
            assert_eq!(parse_duration(&seconds(time)), Ok(time));
        }
    }
}

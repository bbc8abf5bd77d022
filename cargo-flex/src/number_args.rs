//! Numbers on the command line, and what is said of those that do not fit.

use std::error::Error;
use std::fmt;

/// Why a text is not the number that an option takes.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberError {
    NotFinite(String),
    Negative(f64),
    NotAboveZero(f64),
    NotAProbability(f64),
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumberError::NotFinite(text) => write!(f, "`{text}` is not a finite number"),
            NumberError::Negative(number) => write!(f, "{number}: it cannot be negative"),
            NumberError::NotAboveZero(number) => write!(f, "{number} is not above 0"),
            NumberError::NotAProbability(number) => {
                write!(f, "{number}: a probability lies between 0 and 1")
            }
        }
    }
}

impl Error for NumberError {}

/// Reads a finite number.
pub fn finite(text: &str) -> Result<f64, NumberError> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(NumberError::NotFinite(text.to_owned())),
    }
}

/// Reads a number that is not negative.
pub fn not_negative(text: &str) -> Result<f64, NumberError> {
    match finite(text)? {
        number if number >= 0.0 => Ok(number),
        number => Err(NumberError::Negative(number)),
    }
}

/// Reads a number above 0.
pub fn positive(text: &str) -> Result<f64, NumberError> {
    match finite(text)? {
        number if number > 0.0 => Ok(number),
        number => Err(NumberError::NotAboveZero(number)),
    }
}

/// Reads a number above 0 and below 1.
pub fn probability(text: &str) -> Result<f64, NumberError> {
    match positive(text)? {
        number if number < 1.0 => Ok(number),
        number => Err(NumberError::NotAProbability(number)),
    }
}

/// Reads a probability, also as `1%`.
pub fn share(text: &str) -> Result<f64, NumberError> {
    match text.strip_suffix('%') {
        Some(percent) => probability(&format!("{}e-2", percent.trim())),
        None => probability(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_within_their_limits() {
        let wrong = |text: &str| NumberError::NotFinite(text.to_owned());
        assert_eq!(finite("-1.5"), Ok(-1.5));
        assert_eq!(finite("nan"), Err(wrong("nan")));
        assert_eq!(finite("1e999"), Err(wrong("1e999")));
        assert_eq!(finite("x"), Err(wrong("x")));
        assert_eq!(not_negative("0"), Ok(0.0));
        assert_eq!(not_negative("-1"), Err(NumberError::Negative(-1.0)));
        assert_eq!(positive("0"), Err(NumberError::NotAboveZero(0.0)));
        assert_eq!(probability("0.5"), Ok(0.5));
        assert_eq!(probability("1"), Err(NumberError::NotAProbability(1.0)));
    }

    #[test]
    fn shares_are_written_in_percent_too() {
        assert_eq!(share("1%"), Ok(0.01));
        assert_eq!(share("99.5 %"), Ok(0.995));
        assert_eq!(share("0.5"), Ok(0.5));
        assert!(share("100%").is_err() && share("%").is_err());
    }
}

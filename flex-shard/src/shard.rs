//! Which shard of how many.

use std::fmt;
use std::str::FromStr;

use flex_core::visible::visible;
use serde::{Deserialize, Serialize};

/// The words that nextest puts before a part of tests; for parts of runs they all mean the same.
const NEXTEST: [&str; 3] = ["slice:", "hash:", "count:"];

/// More shards than this are a mistake.
const MOST: u32 = 1_000_000;

/// One of so many shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// How many there are.
    total: u32,
    /// Its place, counted from 0.
    place: u32,
}

/// A text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongShard(String);

impl Shard {
    /// The shard at this place, counted from 0; `None` if there is none.
    pub fn new(place: u32, total: u32) -> Option<Self> {
        (place < total && total <= MOST).then_some(Shard { total, place })
    }

    /// Its place, counted from 0.
    pub fn place(self) -> u32 {
        self.place
    }

    /// How many there are.
    pub fn total(self) -> u32 {
        self.total
    }

    /// All of so many.
    pub fn all(total: u32) -> impl Iterator<Item = Shard> {
        (0..total).filter_map(move |place| Shard::new(place, total))
    }
}

impl fmt::Display for Shard {
    /// As people write it, counted from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.place + 1, self.total)
    }
}

impl FromStr for Shard {
    type Err = WrongShard;

    fn from_str(text: &str) -> Result<Self, WrongShard> {
        let parsed = || {
            let word = NEXTEST.iter().find_map(|word| text.strip_prefix(word));
            let (number, total) = word.unwrap_or(text).split_once('/')?;
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let number: u32 = number.parse().ok().filter(|_| digits(number))?;
            let total: u32 = total.parse().ok().filter(|_| digits(total))?;
            Shard::new(number.checked_sub(1)?, total)
        };
        parsed().ok_or_else(|| WrongShard(text.to_owned()))
    }
}

impl TryFrom<String> for Shard {
    type Error = WrongShard;

    fn try_from(text: String) -> Result<Self, WrongShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for WrongShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = visible(&self.0);
        write!(
            f,
            "`{text}` is no shard: write 3/16 for the third of sixteen"
        )
    }
}

impl std::error::Error for WrongShard {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_counted_from_one() {
        let shard: Shard = "3/16".parse().unwrap();
        assert_eq!((shard.place(), shard.total()), (2, 16));
        assert_eq!(shard.to_string(), "3/16");
        for nextest in ["slice:3/16", "hash:3/16", "count:3/16"] {
            assert_eq!(nextest.parse(), Ok(shard));
        }
        assert_eq!(
            Shard::all(3).map(Shard::place).collect::<Vec<_>>(),
            [0, 1, 2]
        );
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for wrong in [
            "",
            "3",
            "0/4",
            "5/4",
            "1/0",
            "+1/4",
            "1/4/2",
            "a/4",
            "1/9999999",
            "m:1/2",
        ] {
            let error = wrong.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("3/16"), "{wrong}");
        }
    }
}

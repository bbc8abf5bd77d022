//! Parts of the runs that a calibration begins with: machines that share them out each make some, and only the process
//! of a test knows how many runs that test asks for.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use flex_core::visible::visible;

/// The fewest parts, each of which one process makes: with fewer, nobody could see what runs of one process share.
const FEWEST: u32 = 5;

/// The fewest runs of a part, where there are more parts than the fewest: what runs of one process share does not show in
/// a single one.
const FEWEST_RUNS: u32 = 5;

/// A part of the runs that a test begins a calibration with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its place, counted from 0.
    pub place: u32,
    /// How many parts there are.
    pub of: u32,
    /// The most runs that the test may begin with.
    pub most: Option<u32>,
}

impl Part {
    /// The runs of this part, of so many in all. Where there are few runs, the last parts have none.
    pub fn runs(&self, all: u32) -> Range<u32> {
        let all = self.most.map_or(all, |most| all.min(most));
        let parts = self.of.min((all / FEWEST_RUNS).max(FEWEST)).max(1);
        if self.place >= parts {
            return all..all;
        }
        let end = |place: u32| (u64::from(all) * u64::from(place) / u64::from(parts)) as u32;
        end(self.place)..end(self.place + 1)
    }
}

impl fmt::Display for Part {
    /// As the environment has it: `3/16`, or `3/16/50`.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.place + 1, self.of)?;
        self.most.map_or(Ok(()), |most| write!(f, "/{most}"))
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = || {
            let mut numbers = text.split('/').map(|number| number.parse::<u32>().ok());
            let (place, of) = (numbers.next()??, numbers.next()??);
            let most = match numbers.next() {
                Some(most) => Some(most?),
                None => None,
            };
            let is_part = (1..=of).contains(&place) && numbers.next().is_none();
            is_part.then(|| Part {
                place: place - 1,
                of,
                most,
            })
        };
        part().ok_or_else(|| format!("`{}` is not a part like 3/16", visible(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(place: u32, of: u32) -> Part {
        Part {
            place,
            of,
            most: None,
        }
    }

    #[test]
    fn parts_are_all_runs_and_about_even() {
        for all in (0..300).chain([3000]) {
            for of in [1, 2, 5, 6, 16, 64, 1000] {
                let parts: Vec<Range<u32>> =
                    (0..of).map(|place| part(place, of).runs(all)).collect();
                let runs: Vec<u32> = parts.iter().cloned().flatten().collect();
                assert_eq!(runs, (0..all).collect::<Vec<u32>>(), "{all} in {of}");
                let sizes: Vec<usize> = parts.iter().map(|part| part.len()).collect();
                let made: Vec<usize> = sizes.into_iter().filter(|size| *size > 0).collect();
                let (least, most) = (made.iter().min(), made.iter().max());
                assert!(most.unwrap_or(&0) - least.unwrap_or(&0) <= 1);
                let few = of <= FEWEST || all < FEWEST * FEWEST_RUNS;
                assert!(few || *least.unwrap() >= 5, "{all} in {of}");
            }
        }
    }

    #[test]
    fn a_part_is_read_as_it_is_written() {
        let parts = ["1/1", "3/16", "16/16/50"];
        for text in parts {
            assert_eq!(text.parse::<Part>().unwrap().to_string(), text);
        }
        for wrong in ["", "3", "0/4", "5/4", "1/4/", "1/4/2/2", "-1/4", "a/b"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
        assert_eq!("2/5/10".parse::<Part>().unwrap().runs(100), 2..4);
    }
}

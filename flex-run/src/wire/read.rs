//! Reading what a process recorded, up to where it ended.

use std::time::Duration;

use flex_core::bound::confidence::Confidence;
use flex_core::calibration::SiteSpec;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Tail};

use super::{HEADER, Shard, ShardHit, ShardRun};
use crate::model::run::{Kind, SiteRecord, Written};
use crate::model::site::Distance;
use crate::model::site::Ends;
use crate::model::test::TestRecord;
use flex_bounds::options::Options;

impl Shard {
    /// Reads what a process wrote, up to where it ended.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let Some(rest) = bytes.strip_prefix(HEADER) else {
            return Err(
                "the tests and `cargo flex` speak different versions; give flex-harness in Cargo.toml and cargo-flex the same version"
                    .to_owned(),
            );
        };
        let mut input = Input { rest };
        let test = input
            .test()
            .ok_or("the process ended before its first run")?;
        let mut shard = Shard {
            test,
            sites: Vec::new(),
            runs: Vec::new(),
            hits: Vec::new(),
            mistakes: Vec::new(),
            begun: None,
            took: None,
        };
        // What is cut off in the middle ends the shard like a clean cut.
        while input.frame(&mut shard).is_some() {}
        Ok(shard)
    }
}

struct Input<'a> {
    rest: &'a [u8],
}

impl Input<'_> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        self.byte().map(|byte| byte != 0)
    }

    fn int(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn float(&mut self) -> Option<f64> {
        self.bytes().map(f64::from_le_bytes)
    }

    fn maybe(&mut self) -> Option<Option<f64>> {
        self.float()
            .map(|number| Some(number).filter(|number| !number.is_nan()))
    }

    fn choice(&mut self) -> Option<Option<bool>> {
        self.byte().map(|byte| match byte {
            b'-' => None,
            byte => Some(byte != 0),
        })
    }

    fn text(&mut self) -> Option<String> {
        let length = self.int()? as usize;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn test(&mut self) -> Option<TestRecord> {
        let count = |number: u32| Some(number).filter(|number| *number > 0);
        Some(TestRecord {
            package: self.text()?,
            target: Some(self.text()?).filter(|target| !target.is_empty()),
            name: self.text()?,
            fingerprint: self.text()?,
            selection: self.text()?,
            place: self.text()?,
            suite: self.text()?.parse().ok(),
            options: Options {
                confidence: self.maybe()?,
                effort: self.maybe()?,
                runs: count(self.int()?),
                max_runs: count(self.int()?),
                attempts: count(self.int()?),
                light: self.choice()?,
                ceiling_warns: self.choice()?,
                overlap: self.choice()?,
                controlled: self.choice()?,
            },
        })
    }

    fn frame(&mut self, shard: &mut Shard) -> Option<()> {
        match self.byte()? {
            b'S' => shard.sites.push(self.site()?),
            b'B' => shard.begun = Some(self.int()?),
            b'R' => self.run(shard)?,
            b'M' => shard.mistakes.push(self.text()?),
            b'E' => {
                let nanos = u64::from_le_bytes(self.bytes()?);
                shard.took = Some(Duration::from_nanos(nanos));
            }
            _ => return None,
        }
        Some(())
    }

    fn site(&mut self) -> Option<SiteRecord> {
        let id = self.text()?;
        let has_case = self.flag()?;
        let case = self.text()?;
        let place = self.text()?;
        let written = Written {
            text: self.text()?,
            form: self.text()?,
            distance: match self.byte()? {
                b'-' => None,
                b'a' => Some(Distance::Absolute),
                b'r' => Some(Distance::Relative),
                b'u' => Some(Distance::Ulps),
                _ => return None,
            },
        };
        let flags = self.byte()?;
        let learned = |input: &mut Self, tail| {
            let light = input.flag()?;
            let confidence = input.maybe()?;
            let (lower, upper) = (input.maybe()?, input.maybe()?);
            Some(Kind::Learned(SiteSpec {
                tail,
                light,
                domain: lower
                    .zip(upper)
                    .and_then(|(lower, upper)| Domain::new(lower, upper).ok()),
                confidence: confidence.and_then(|value| Confidence::new(value).ok()),
            }))
        };
        let kind = match self.byte()? {
            b'u' => learned(self, Tail::Upper)?,
            b'l' => learned(self, Tail::Lower)?,
            b'b' => learned(self, Tail::Both)?,
            b'd' => Kind::Declared(Ends {
                lower: self.maybe()?,
                upper: self.maybe()?,
            }),
            _ => return None,
        };
        Some(SiteRecord {
            id,
            case: has_case.then_some(case),
            kind,
            is_time: flags & 1 != 0,
            is_margin: flags & 2 != 0,
            is_hard: flags & 4 != 0,
            place,
            written,
        })
    }

    fn run(&mut self, shard: &mut Shard) -> Option<()> {
        let index = self.int()?;
        let flags = self.byte()?;
        let failure = match flags & 2 {
            0 => None,
            _ => Some(self.text()?),
        };
        let hits_before = shard.hits.len();
        for _ in 0..self.int()? {
            let hit = self.hit();
            // A run that is cut off is no run.
            let Some(hit) = hit.filter(|hit| hit.site < shard.sites.len()) else {
                shard.hits.truncate(hits_before);
                return None;
            };
            shard.hits.push(hit);
        }
        shard.runs.push(ShardRun {
            index,
            drew: flags & 1 != 0,
            failure,
            hits_end: shard.hits.len(),
        });
        shard.begun = None;
        Some(())
    }

    fn hit(&mut self) -> Option<ShardHit> {
        Some(ShardHit {
            site: self.int()? as usize,
            extremes: Extremes {
                least: self.float()?,
                greatest: self.float()?,
            },
            broken: self.flag()?,
        })
    }
}

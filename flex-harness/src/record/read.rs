//! Reading what a process recorded, up to where it ended.

use std::time::Duration;

use flex_core::calibration::SiteSpec;
use flex_core::confidence::Confidence;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Tail};

use super::{HEADER, Shard, ShardHit, ShardRun};
use crate::asserted::Distance;
use crate::run_record::{Kind, SiteRecord, Written};
use crate::site::Ends;
use crate::test_record::TestRecord;
use flex_core::options::Options;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Project;
    use crate::env::RecordRequest;
    use crate::measure::measured;
    use crate::record::record;
    use crate::recorder::{declared, learned};
    use crate::site::{Extras, Site};
    use crate::test::{Identity, Test};
    use flex_core::seed::Phase;

    static SITE: Site = Site {
        text: "x<_",
        form: "assert_close!",
        distance: Some(Distance::Relative),
        name: None,
        nth: 1,
        here: || "",
        file: "a.rs",
        line: 7,
        hard: false,
    };

    static TEST: Test = Test {
        identity: Identity {
            path: "krate::tests::name",
            marker: "",
            file: "a.rs",
            line: 1,
            package: "package",
            manifest_dir: "",
            crate_name: "krate",
            binary: None,
            tmpdir: None,
            ignored: false,
        },
        options: Options {
            runs: Some(10),
            light: Some(true),
            overlap: Some(false),
            ..Options::NONE
        },
        fingerprint: "9f2c4e1a",
        body: |rng| {
            let x = rng.seed_u64() as f64;
            let case = || "a".to_owned();
            let extras = Extras {
                case: Some(&case),
                domain: Some(&|| (0.0, f64::INFINITY)),
                ..Extras::default()
            };
            learned(&SITE, Tail::Upper, measured(&x), extras);
            let ends = Ends {
                lower: None,
                upper: Some(1.0),
            };
            declared(&SITE, x < 1.0, measured(&x), ends, Extras::default());
            match x > 2f64.powi(63) {
                true => Err("too large".to_owned()),
                false => Ok(()),
            }
        },
    };

    /// What a process writes that makes six runs.
    fn recorded() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let request = RecordRequest {
            file: folder.path().join("record"),
            runs: vec![5, 0, 1, 2, 3, 4],
            phase: Phase::Calibrate,
            parts: None,
            millis: None,
            carefully: true,
        };
        let asked = TestRecord::of(&TEST, &Project::default());
        record(&TEST, &asked, "base", &request).unwrap();
        std::fs::read(&request.file).unwrap()
    }

    #[test]
    fn what_was_recorded_is_read() {
        let shard = Shard::parse(&recorded()).unwrap();
        assert_eq!(shard.test.name, "tests::name");
        assert_eq!(shard.test.options, TEST.options);
        let spec = SiteSpec {
            domain: Domain::new(0.0, f64::INFINITY).ok(),
            light: true,
            ..SiteSpec::new(Tail::Upper)
        };
        assert_eq!(shard.sites[0].kind, Kind::Learned(spec));
        assert_eq!(shard.sites[0].case.as_deref(), Some("a"));
        let written = Written {
            text: "x<_".to_owned(),
            form: "assert_close!".to_owned(),
            distance: Some(Distance::Relative),
        };
        assert_eq!(shard.sites[0].written, written);
        assert!(matches!(shard.sites[1].kind, Kind::Declared(_)));
        let runs: Vec<u32> = shard.runs().map(|(run, _)| run.index).collect();
        assert_eq!(runs, [5, 0, 1, 2, 3, 4]);
        for (run, hits) in shard.runs() {
            assert!(run.drew && hits.len() == 2 && hits[1].broken);
            let too_large = hits[0].extremes.least > 2f64.powi(63);
            assert_eq!(run.failure.is_some(), too_large);
        }
        assert!(shard.took.is_some() && shard.begun.is_none());
    }

    #[test]
    fn a_file_that_breaks_off_holds_the_runs_before() {
        let bytes = recorded();
        let mut before = 0;
        for end in 0..bytes.len() {
            let Ok(shard) = Shard::parse(&bytes[..end]) else {
                assert_eq!(before, 0);
                continue;
            };
            let runs = shard.runs().count();
            assert!((before..=before + 1).contains(&runs));
            assert!(shard.runs().all(|(_, hits)| hits.len() == 2));
            assert_eq!(shard.took, None);
            before = runs;
        }
        assert_eq!(before, 6);
        assert!(
            Shard::parse(b"flex record 1\n")
                .unwrap_err()
                .contains("version")
        );
    }
}

//! Recording: a test process makes the runs it is asked for and writes down what they showed.
//!
//! Calibration spreads its runs over processes. Each gets `FLEX_MODE=record`, a list of runs and a file to write to,
//! and decides nothing. The file is a private language between processes of one version, little endian, and is
//! deleted once it has been read. A process that ends in the middle of a run leaves a file without an end; made
//! *carefully*, it names the run.

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use flex_core::calibration::SiteSpec;
use flex_core::confidence::Confidence;
use flex_core::sample::Extremes;
use flex_core::seed::Seeds;
use flex_core::tail::{Domain, Tail};

use crate::env::RecordRequest;
use crate::recorder::{Kind, KnownSite};
use crate::replay::selection;
use crate::run::{End, Runs, panic_message};
use crate::site::Ends;
use crate::test::{Options, Test};

/// Changes with every change of the format.
const HEADER: &[u8] = b"flex record 1\n";

/// What the runs of one process showed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shard {
    pub test: TestRecord,
    pub sites: Vec<SiteRecord>,
    runs: Vec<ShardRun>,
    hits: Vec<ShardHit>,
    /// What is wrong with the test itself.
    pub mistakes: Vec<String>,
    /// A run that began and did not end.
    pub begun: Option<u32>,
    /// How long the runs took, if the process came to its end.
    pub took: Option<Duration>,
}

/// The test, as the process knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestRecord {
    pub package: String,
    pub target: String,
    pub name: String,
    pub fingerprint: String,
    /// The arguments of `cargo test` that run exactly this test.
    pub selection: String,
    pub options: Options,
}

/// A site, as the process knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SiteRecord {
    pub id: String,
    pub case: Option<String>,
    pub kind: Kind,
    pub is_time: bool,
    pub place: String,
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShardRun {
    pub index: u32,
    /// Whether it drew a random number.
    pub drew: bool,
    /// Why it failed: a panic, an error, or values that cannot be compared.
    pub failure: Option<String>,
    /// Where its hits end; they begin where those of the run before it end.
    hits_end: usize,
}

/// What a site saw in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShardHit {
    pub site: usize,
    pub extremes: Extremes,
    /// Whether a declared bound was broken.
    pub broken: bool,
}

impl Shard {
    /// The runs with their hits.
    pub fn runs(&self) -> impl Iterator<Item = (&ShardRun, &[ShardHit])> {
        let mut from = 0;
        self.runs.iter().map(move |run| {
            let hits = &self.hits[from..run.hits_end];
            from = run.hits_end;
            (run, hits)
        })
    }

    /// The mean duration of a run, if it is known.
    pub fn seconds_per_run(&self) -> Option<f64> {
        let runs = self.runs.len();
        let took = self.took.filter(|_| runs > 0)?;
        Some(took.as_secs_f64() / runs as f64)
    }
}

/// Makes the runs that the environment asks for.
pub(crate) fn record(test: &'static Test, base: &str, request: &RecordRequest) -> io::Result<()> {
    let target = test.target();
    let seeds = Seeds::new(base, request.phase, &target, test.name());
    let mut runs = Runs::new(test, seeds, false);
    let mut out = Output {
        file: File::create(&request.file)?,
        pending: HEADER.to_vec(),
    };
    out.test(test, &target);
    // Whoever finds no run here knows at least the test.
    out.flush()?;
    let mut known = 0;
    let started = Instant::now();
    let deadline = request
        .millis
        .map(|millis| started + Duration::from_millis(millis));
    // Whoever asks for a first part does not know yet how many runs the test wants.
    let most = match (request.parts, test.options.runs) {
        (Some(parts), Some(runs)) => runs.div_ceil(parts) as usize,
        _ => usize::MAX,
    };
    for index in request.runs.iter().take(most) {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        if request.carefully {
            out.tag(b'B');
            out.int(*index);
            out.flush()?;
        }
        let run = runs.run(u64::from(*index));
        if known < runs.record.seen.len() {
            for site in runs.recorder.sites_from(known) {
                out.site(&site);
                known += 1;
            }
        }
        let failure = match &run.end {
            End::Done => runs.record.faults.first().map(|fault| fault.what.clone()),
            End::Error(error) => Some(format!("returned an error: {error}")),
            End::Panic(payload) => Some(panic_message(&**payload).to_owned()),
        };
        out.run(*index, run.drew, failure.as_deref(), &runs);
        if out.pending.len() > FULL {
            out.flush()?;
        }
    }
    for mistake in runs.recorder.mistakes() {
        out.tag(b'M');
        out.text(&mistake);
    }
    out.tag(b'E');
    out.bytes(&(started.elapsed().as_nanos() as u64).to_le_bytes());
    out.flush()
}

/// Bytes that wait for one write.
const FULL: usize = 1 << 16;

struct Output {
    file: File,
    pending: Vec<u8>,
}

impl Output {
    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    fn tag(&mut self, tag: u8) {
        self.pending.push(tag);
    }

    fn int(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn float(&mut self, number: f64) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.int(text.len() as u32);
        self.bytes(text.as_bytes());
    }

    /// An option as a number, NaN for none.
    fn maybe(&mut self, number: Option<f64>) {
        self.float(number.unwrap_or(f64::NAN));
    }

    fn test(&mut self, test: &Test, target: &str) {
        self.text(test.identity.package);
        self.text(target);
        self.text(test.name());
        self.text(test.fingerprint);
        self.text(&selection(test));
        let options = test.options;
        self.maybe(options.confidence);
        self.maybe(options.effort);
        self.int(options.runs.unwrap_or(0));
        self.int(options.max_runs.unwrap_or(0));
        self.tag(
            u8::from(options.light)
                | u8::from(options.ceiling_warns) << 1
                | u8::from(options.overlap) << 2
                | u8::from(options.controlled) << 3,
        );
    }

    fn site(&mut self, known: &KnownSite) {
        self.tag(b'S');
        self.text(&known.id);
        self.tag(u8::from(known.case.is_some()));
        self.text(known.case.as_deref().unwrap_or_default());
        self.text(&format!("{}:{}", known.site.file, known.site.line));
        self.tag(u8::from(known.is_time));
        match known.kind {
            Kind::Learned(spec) => {
                self.tag(match spec.tail {
                    Tail::Upper => b'u',
                    Tail::Lower => b'l',
                    Tail::Both => b'b',
                });
                self.tag(u8::from(spec.light));
                self.maybe(spec.confidence.map(Confidence::value));
                self.maybe(spec.domain.map(Domain::lower));
                self.maybe(spec.domain.map(Domain::upper));
            }
            Kind::Declared(ends) => {
                self.tag(b'd');
                self.maybe(ends.lower);
                self.maybe(ends.upper);
            }
        }
    }

    fn run(&mut self, index: u32, drew: bool, failure: Option<&str>, runs: &Runs) {
        self.tag(b'R');
        self.int(index);
        self.tag(u8::from(drew) | u8::from(failure.is_some()) << 1);
        if let Some(failure) = failure {
            self.text(failure);
        }
        let seen = &runs.record.seen;
        self.int(seen.iter().flatten().count() as u32);
        for (site, seen) in seen.iter().enumerate() {
            if let Some(seen) = seen {
                self.int(site as u32);
                self.float(seen.extremes.least);
                self.float(seen.extremes.greatest);
                self.tag(u8::from(seen.broken > 0));
            }
        }
    }
}

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
            target: self.text()?,
            name: self.text()?,
            fingerprint: self.text()?,
            selection: self.text()?,
            options: {
                let (confidence, effort) = (self.maybe()?, self.maybe()?);
                let (runs, max_runs) = (count(self.int()?), count(self.int()?));
                let flags = self.byte()?;
                Options {
                    confidence,
                    runs,
                    max_runs,
                    light: flags & 1 != 0,
                    effort,
                    ceiling_warns: flags & 2 != 0,
                    overlap: flags & 4 != 0,
                    controlled: flags & 8 != 0,
                }
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
        let is_time = self.flag()?;
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
            is_time,
            place,
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

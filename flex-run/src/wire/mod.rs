//! Recording: a test process makes the runs it is asked for and writes down what they showed.
//!
//! Calibration spreads its runs over processes. Each gets `FLEX_MODE=record`, a list of runs and a file to write to,
//! and decides nothing. The file is a private language between processes of one version, little endian, and is
//! deleted once it has been read. A process that ends in the middle of a run leaves a file without an end; made
//! *carefully*, it names the run.

mod read;

use std::io::{self, Write};
use std::time::Duration;

use flex_core::bound::confidence::Confidence;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Tail};

use crate::model::run::{Kind, RunRecord, SiteRecord};
use crate::model::site::Distance;
use crate::model::test::TestRecord;

/// Changes with every change of the format.
const HEADER: &[u8] = b"flex record 3\n";

/// What the runs of one process showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Shard {
    /// The test.
    pub test: TestRecord,
    /// The sites that were hit.
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

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardRun {
    /// Its index.
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
pub struct ShardHit {
    /// The index of the site.
    pub site: usize,
    /// The most extreme values.
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

    /// What a process records that makes no run.
    pub fn without_runs(&self) -> Shard {
        Shard {
            sites: Vec::new(),
            runs: Vec::new(),
            hits: Vec::new(),
            ..self.clone()
        }
    }

    /// The mean duration of a run, if it is known.
    pub fn seconds_per_run(&self) -> Option<f64> {
        let runs = self.runs.len();
        let took = self.took.filter(|_| runs > 0)?;
        Some(took.as_secs_f64() / runs as f64)
    }
}

/// Bytes that wait for one write.
const FULL: usize = 1 << 16;

/// Writes down what the runs of one process show.
#[derive(Debug, Clone)]
pub struct RecordWriter<W> {
    out: W,
    pending: Vec<u8>,
    /// Sites that were written.
    known: usize,
}

impl<W: Write> RecordWriter<W> {
    /// Begins a record with the test, so that whoever finds no run in it knows at least that.
    pub fn new(out: W, test: &TestRecord) -> io::Result<Self> {
        let mut writer = RecordWriter {
            out,
            pending: HEADER.to_vec(),
            known: 0,
        };
        writer.test(test);
        writer.flush()?;
        Ok(writer)
    }

    /// A run begins, and may end the process.
    pub fn begin(&mut self, index: u32) -> io::Result<()> {
        self.tag(b'B');
        self.int(index);
        self.flush()
    }

    /// A run has ended; the sites are all that are known by now.
    pub fn run(
        &mut self,
        index: u32,
        drew: bool,
        failure: Option<&str>,
        sites: &[SiteRecord],
        record: &RunRecord,
    ) -> io::Result<()> {
        for site in sites.iter().skip(self.known) {
            self.site(site);
        }
        self.known = self.known.max(sites.len());
        self.tag(b'R');
        self.int(index);
        self.tag(u8::from(drew) | u8::from(failure.is_some()) << 1);
        if let Some(failure) = failure {
            self.text(failure);
        }
        self.int(record.seen.iter().flatten().count() as u32);
        for (site, seen) in record.seen.iter().enumerate() {
            if let Some(seen) = seen {
                self.int(site as u32);
                self.float(seen.extremes.least);
                self.float(seen.extremes.greatest);
                self.tag(u8::from(seen.broken > 0));
            }
        }
        match self.pending.len() > FULL {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// No further run comes.
    pub fn end(mut self, mistakes: &[String], took: Duration) -> io::Result<W> {
        for mistake in mistakes {
            self.tag(b'M');
            self.text(mistake);
        }
        self.tag(b'E');
        self.bytes(&(took.as_nanos() as u64).to_le_bytes());
        self.flush()?;
        Ok(self.out)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.pending)?;
        self.pending.clear();
        self.out.flush()
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

    fn test(&mut self, test: &TestRecord) {
        self.text(&test.package);
        // No target has an empty name.
        self.text(test.target.as_deref().unwrap_or_default());
        self.text(&test.name);
        self.text(&test.fingerprint);
        self.text(&test.selection);
        self.text(&test.place);
        self.text(
            &test
                .suite
                .map_or_else(String::new, |suite| suite.to_string()),
        );
        let options = test.options;
        self.maybe(options.confidence);
        self.maybe(options.effort);
        self.int(options.runs.unwrap_or(0));
        self.int(options.max_runs.unwrap_or(0));
        self.int(options.attempts.unwrap_or(0));
        for choice in [
            options.light,
            options.ceiling_warns,
            options.overlap,
            options.controlled,
        ] {
            self.tag(choice.map_or(b'-', u8::from));
        }
    }

    fn site(&mut self, known: &SiteRecord) {
        self.tag(b'S');
        self.text(&known.id);
        self.tag(u8::from(known.case.is_some()));
        self.text(known.case.as_deref().unwrap_or_default());
        self.text(&known.place);
        self.text(&known.written.text);
        self.text(&known.written.form);
        self.tag(match known.written.distance {
            None => b'-',
            Some(Distance::Absolute) => b'a',
            Some(Distance::Relative) => b'r',
            Some(Distance::Ulps) => b'u',
        });
        self.tag(
            u8::from(known.is_time) | u8::from(known.is_margin) << 1 | u8::from(known.is_hard) << 2,
        );
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
}

//! The wire: how a process that makes runs tells another what they showed.
//!
//! Calibration spreads its runs over processes. Each gets `FLEX_MODE=record`, a list of runs and a file to write to,
//! and decides nothing. The file is a private language between processes of one version: `code` says how values
//! become bytes, `values` which values there are. It is deleted once it has been read. A process that ends in the
//! middle of a run leaves a file without an end; made *carefully*, it names the run. One that hangs is named in any case.

mod code;
mod values;

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::model::{
    FirstStack, HungRun, Probe, ProcessRecord, RecordedHit, RecordedRun, RunRecord, Site, Test,
    Took,
};
use code::Wire;
use values::Frame;

/// Changes with every change of the format.
const HEADER: &[u8] = b"flex record 9\n";

/// Bytes that wait for one write.
const FULL: usize = 1 << 16;

/// The longest that they wait: somebody may look how far the process is.
const SOON: Duration = Duration::from_millis(100);

/// Writes down what the runs of one process show.
#[derive(Debug, Clone)]
pub struct RecordWriter<W> {
    out: W,
    pending: Vec<u8>,
    /// When it was last written.
    written: Instant,
    /// Sites that were written.
    known: usize,
    /// Room for the hits of one run.
    hits: Vec<RecordedHit>,
}

impl<W: Write> RecordWriter<W> {
    /// Begins a record with the test, so that whoever finds no run in it knows at least that.
    pub fn new(out: W, test: &Test) -> io::Result<Self> {
        let mut writer = RecordWriter {
            out,
            pending: HEADER.to_vec(),
            written: Instant::now(),
            known: 0,
            hits: Vec::new(),
        };
        test.write(&mut writer.pending);
        writer.flush()?;
        Ok(writer)
    }

    /// A run begins, and may end the process.
    pub fn begin(&mut self, index: u32) -> io::Result<()> {
        Frame::Begin(index).write(&mut self.pending);
        self.flush()
    }

    /// A run has ended; the sites are all that are known by now.
    pub fn run(&mut self, run: RecordedRun, sites: &[Site], record: &RunRecord) -> io::Result<()> {
        for site in sites.iter().skip(self.known) {
            Frame::Site(site.clone()).write(&mut self.pending);
        }
        self.known = self.known.max(sites.len());
        if let Some(why) = &record.inconclusive {
            Frame::Inconclusive(run.index, why.clone()).write(&mut self.pending);
            return self.flush_in_time();
        }
        let mut hits = std::mem::take(&mut self.hits);
        hits.clear();
        for (site, hit) in (0..).zip(&record.hits) {
            hits.extend(hit.as_ref().map(|hit| RecordedHit {
                site,
                extremes: hit.extremes,
                broken: hit.broken > 0,
            }));
        }
        let frame = Frame::Run(run, hits);
        frame.write(&mut self.pending);
        if let Frame::Run(_, hits) = frame {
            self.hits = hits;
        }
        self.flush_in_time()
    }

    /// What the claims of the run before drew.
    pub fn draws(&mut self, record: &RunRecord) {
        for (site, hit) in (0..).zip(&record.hits) {
            if let Some(hit) = hit
                && !hit.draws.first.is_empty()
            {
                Frame::Draws(site, hit.draws.clone()).write(&mut self.pending);
            }
        }
    }

    /// What all runs touched that can differ from run to run.
    pub fn probe(&mut self, probe: &Probe) {
        Frame::Probe(probe.clone()).write(&mut self.pending);
    }

    /// Where they touched it first.
    pub fn stacks(&mut self, stacks: &[FirstStack]) {
        Frame::Stacks(stacks.to_vec()).write(&mut self.pending);
    }

    /// A run does not end, so the process ends itself.
    pub fn hung(&mut self, run: HungRun) -> io::Result<()> {
        Frame::Hung(run).write(&mut self.pending);
        self.flush()
    }

    /// No further run comes.
    pub fn end(&mut self, mistakes: &[String], took: Took) -> io::Result<()> {
        for mistake in mistakes {
            Frame::Mistake(mistake.clone()).write(&mut self.pending);
        }
        Frame::End(took).write(&mut self.pending);
        self.flush()
    }

    /// Where the record was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn flush_in_time(&mut self) -> io::Result<()> {
        match self.pending.len() > FULL || self.written.elapsed() >= SOON {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.pending)?;
        self.pending.clear();
        self.written = Instant::now();
        self.out.flush()
    }
}

/// A record as the bytes that [`read`] reads: sites, runs, and what was seen of all of them. Whoever wants to keep whole
/// runs of what is cut short is told where each ends.
#[inline]
pub fn bytes_of(record: &ProcessRecord, mut run_ends: impl FnMut(usize)) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    record.test.write(&mut bytes);
    for site in &record.sites {
        Frame::Site(site.clone()).write(&mut bytes);
    }
    for (run, hits) in record.runs() {
        Frame::Run(run.clone(), hits.to_vec()).write(&mut bytes);
        run_ends(bytes.len());
    }
    for (run, why) in &record.inconclusive {
        Frame::Inconclusive(*run, why.clone()).write(&mut bytes);
    }
    for (site, draws) in &record.draws {
        Frame::Draws(*site, draws.clone()).write(&mut bytes);
    }
    for mistake in &record.mistakes {
        Frame::Mistake(mistake.clone()).write(&mut bytes);
    }
    if let Some(probe) = &record.probe {
        Frame::Probe(probe.clone()).write(&mut bytes);
        Frame::Stacks(record.stacks.clone()).write(&mut bytes);
    }
    if let Some(run) = record.begun {
        Frame::Begin(run).write(&mut bytes);
    }
    if let Some(hung) = record.hung {
        Frame::Hung(hung).write(&mut bytes);
    }
    if let Some(all) = record.took {
        let slowest = record.slowest;
        Frame::End(Took { all, slowest }).write(&mut bytes);
    }
    bytes
}

/// Why a record cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireError {
    /// It was written by another version of flex.
    Version,
    /// It ends before it says which test it is about.
    NoTest,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WireError::Version => {
                "the tests and `cargo flex` speak different versions; give flex-harness in Cargo.toml and cargo-flex the same version"
            }
            WireError::NoTest => "the process ended before its first run",
        })
    }
}

impl std::error::Error for WireError {}

/// Reads what a process wrote, up to where it ended.
pub fn read(bytes: &[u8]) -> Result<ProcessRecord, WireError> {
    if HEADER.starts_with(bytes) {
        return Err(WireError::NoTest);
    }
    let mut bytes = bytes.strip_prefix(HEADER).ok_or(WireError::Version)?;
    let test = Test::read(&mut bytes).ok_or(WireError::NoTest)?;
    let mut record = ProcessRecord::new(test);
    // What is cut off in the middle of a frame ends the record like a clean cut.
    while Frame::read(&mut bytes).and_then(|frame| take(&mut record, frame)) == Some(()) {}
    Ok(record)
}

fn take(record: &mut ProcessRecord, frame: Frame) -> Option<()> {
    match frame {
        Frame::Site(site) => record.sites.push(site),
        Frame::Begin(run) => record.begun = Some(run),
        Frame::Run(run, hits) => record.push(run, hits)?,
        Frame::Inconclusive(run, why) => {
            record.inconclusive.push((run, why));
            record.begun = None;
        }
        Frame::Draws(site, draws) => record.draws.push((site, draws)),
        Frame::Mistake(what) => record.mistakes.push(what),
        Frame::Probe(probe) => record.probe = Some(probe),
        Frame::Stacks(stacks) => record.stacks = stacks,
        Frame::Hung(run) => record.hung = Some(run),
        Frame::End(took) => (record.took, record.slowest) = (Some(took.all), took.slowest),
    }
    Some(())
}

/// Begins what a process tells of a plain test, of which it knows nothing else.
const PROBE_HEADER: &[u8] = b"flex probe 1\n";

/// What a plain test touched, as bytes.
#[inline]
pub fn probe_bytes(probe: &Probe, stacks: &[FirstStack]) -> Vec<u8> {
    let mut bytes = PROBE_HEADER.to_vec();
    probe.write(&mut bytes);
    stacks.to_vec().write(&mut bytes);
    bytes
}

/// Reads what a plain test touched; `None` if the process did not come so far, or is of another version.
#[inline]
pub fn read_probe(bytes: &[u8]) -> Option<(Probe, Vec<FirstStack>)> {
    let mut bytes = bytes.strip_prefix(PROBE_HEADER)?;
    let probe = Probe::read(&mut bytes)?;
    let stacks = Wire::read(&mut bytes)?;
    bytes.is_empty().then_some((probe, stacks))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{Cause, Place, TestId, Touch};

    fn touched() -> (Probe, Vec<FirstStack>) {
        let touch = Touch {
            cause: Cause::Files,
            what: "file /etc/hosts".to_owned(),
            seeded: false,
            count: 3,
            place: Some(Place::new("a.rs", 7)),
        };
        let stack = FirstStack {
            what: touch.what.clone(),
            frames: vec![4096, 17],
        };
        ([touch].into_iter().collect(), vec![stack])
    }

    #[test]
    fn what_runs_touched_is_read_as_it_was_written() {
        let test = Test::new(TestId::cargo("lib", "a"));
        let (probe, stacks) = touched();
        let mut writer = RecordWriter::new(Vec::new(), &test).unwrap();
        writer.probe(&probe);
        writer.stacks(&stacks);
        let took = Took {
            all: Duration::ZERO,
            slowest: None,
        };
        writer.end(&[], took).unwrap();
        let record = read(&writer.into_inner()).unwrap();
        assert_eq!((record.probe, record.stacks), (Some(probe), stacks));
    }

    #[test]
    fn a_process_that_wrote_nothing_is_not_one_of_another_version() {
        assert_eq!(read(b"").unwrap_err(), WireError::NoTest);
        assert_eq!(read(&HEADER[..3]).unwrap_err(), WireError::NoTest);
        assert_eq!(read(b"something else").unwrap_err(), WireError::Version);
    }

    #[test]
    fn of_a_plain_test_all_is_known_or_nothing() {
        let (probe, stacks) = touched();
        let bytes = probe_bytes(&probe, &stacks);
        for end in 0..bytes.len() {
            assert_eq!(read_probe(&bytes[..end]), None);
        }
        assert_eq!(read_probe(&bytes), Some((probe, stacks)));
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(read_probe(&longer), None);
    }
}

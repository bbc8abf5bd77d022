//! Plain tests whose assertions are seen: what `#[observed]` puts at the beginning of their bodies.
//!
//! Nothing that a test does depends on it. Where nobody asks it does nothing; else the assertions of the test's own body are
//! recorded, on its own thread, and written to a file when the test ends, also by a panic.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flex_run::model::{Place, RecordedRun, RunRecord, Test, TestId, Took};
use flex_run::project::env;
use flex_run::wire::RecordWriter;

#[cfg(all(feature = "probes", target_os = "linux", not(miri)))]
use crate::probe::unwatched;
use crate::recorder::Recorder;

/// What is done here is not what the test does.
#[cfg(not(all(feature = "probes", target_os = "linux", not(miri))))]
fn unwatched<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// A plain test that is being seen; the record is written when this is dropped.
#[derive(Debug)]
pub struct ObservedPlainTest {
    recorder: Recorder,
    index: u32,
    file: PathBuf,
    place: Place,
    began: Instant,
}

impl ObservedPlainTest {
    /// Begins to record what the assertions of the test on this thread compare, if the environment asks for it and no test
    /// of this thread is recorded yet.
    pub fn begin(source: &'static str, line: u32) -> Option<ObservedPlainTest> {
        unwatched(|| {
            let (index, file) = env::observed()?;
            let recorder = Recorder::new(false, false);
            recorder.observe().then(|| ObservedPlainTest {
                recorder,
                index,
                file,
                place: Place::new(source, line),
                began: Instant::now(),
            })
        })
    }

    fn write(&self) -> io::Result<()> {
        let mut record = RunRecord::default();
        self.recorder.take(&mut record);
        // The reader knows which test it asked for.
        let test = Test {
            place: self.place.clone(),
            ..Test::new(TestId::cargo("lib", "observed"))
        };
        let mut writer = RecordWriter::new(File::create(&self.file)?, &test)?;
        let failure = std::thread::panicking().then(|| "panicked".to_owned());
        let run = RecordedRun {
            index: self.index,
            drew: false,
            failure,
        };
        writer.run(run, &self.recorder.sites_from(0), &record)?;
        let all = self.began.elapsed().max(Duration::from_nanos(1));
        writer.end(&[], Took { all, slowest: None })
    }
}

impl Drop for ObservedPlainTest {
    fn drop(&mut self) {
        unwatched(|| {
            self.recorder.end_observing();
            // A record that cannot be written is missing, and so is what it would have told.
            let _ = self.write();
        });
    }
}

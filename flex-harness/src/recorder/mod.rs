//! The recorder: what the sites of a running test show, on whichever thread they are hit.
//!
//! A recorder lives as long as its test in this process and knows every site that was hit. What a run showed is taken
//! out after it, so that the memory of a site does not grow with the runs. A recorder is found through a thread-local,
//! which [`Scope`] carries to other threads.

mod claimed;
mod hit;
mod recording;
mod scope;

use std::sync::{Arc, Mutex};

use crate::entropy::Entropy;
pub use claimed::claimed;
use flex_run::model::{RunRecord, Site};
pub use hit::{asserted, close, declared, learned};
use recording::{Recording, locked};
use scope::OBSERVED;
pub use scope::{Scope, inconclusive, rng, scope};

/// What a test has shown so far.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    recording: Arc<Mutex<Recording>>,
}

impl Recorder {
    /// A recorder for one test. Messages of assertions are wanted where somebody will read them.
    pub fn new(light: bool, with_messages: bool) -> Self {
        Recorder {
            recording: Arc::new(Mutex::new(Recording {
                light,
                with_messages,
                ..Recording::default()
            })),
        }
    }

    /// Lets `body` be the test that runs on this thread under this seed, with this entropy, and returns what it returns.
    pub fn during<T>(
        &self,
        seed: [u8; 32],
        entropy: Option<Entropy>,
        body: impl FnOnce() -> T,
    ) -> T {
        let run = {
            let mut recording = locked(&self.recording);
            recording.run += 1;
            recording.seed = seed;
            recording.streams = 0;
            recording.run
        };
        Scope {
            recording: Arc::clone(&self.recording),
            run,
            entropy,
        }
        .enter(body)
    }

    /// Records plain assertions of this thread; `false` if somebody does already.
    pub fn observe(&self) -> bool {
        OBSERVED.with_borrow_mut(|observed| {
            if observed.is_some() {
                return false;
            }
            let run = {
                let mut recording = locked(&self.recording);
                recording.run += 1;
                recording.run
            };
            *observed = Some(Scope {
                recording: Arc::clone(&self.recording),
                run,
                entropy: None,
            });
            true
        })
    }

    /// Records plain assertions of this thread no longer.
    pub fn end_observing(&self) {
        OBSERVED.set(None);
    }

    /// Takes out what the run showed, and says whether it drew from a [`rng`](crate::rng()). Hits that come later, from
    /// threads that live on, are refused.
    pub fn take(&self, into: &mut RunRecord) -> bool {
        let mut recording = locked(&self.recording);
        recording.run += 1;
        into.inconclusive = recording.inconclusive.take();
        into.faults.clear();
        std::mem::swap(&mut recording.faults, &mut into.faults);
        std::mem::swap(&mut recording.hits, &mut into.hits);
        recording.hits.clear();
        recording.hits.resize(into.hits.len(), None);
        recording.streams > 0
    }

    /// The sites hit so far, from the given one on.
    pub fn sites_from(&self, first: usize) -> Vec<Site> {
        let recording = locked(&self.recording);
        let sites = recording.sites.iter().skip(first);
        sites.map(|known| known.site.clone()).collect()
    }

    /// What is wrong with the test itself.
    pub fn mistakes(&self) -> Vec<String> {
        locked(&self.recording).mistakes.clone()
    }
}

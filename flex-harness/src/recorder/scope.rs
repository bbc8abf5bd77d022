//! The running test, as threads find it.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use super::recording::{Recording, locked};
use crate::assertion::Assertion;
use crate::entropy::Entropy;
use crate::rng::TestRng;

thread_local! {
    pub(super) static CURRENT: RefCell<Option<Scope>> = const { RefCell::new(None) };
    /// A plain test that is being seen: its plain assertions are recorded, and nothing else knows of it.
    pub(super) static OBSERVED: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

/// The running test, to be carried to a thread of its own: see [`scope`].
///
/// Where entropy is controlled, each call of [`scope`] and each clone is a stream of its own.
#[derive(Debug)]
pub struct Scope {
    pub(super) recording: Arc<Mutex<Recording>>,
    pub(super) run: u64,
    pub(super) entropy: Option<Entropy>,
}

impl Clone for Scope {
    fn clone(&self) -> Self {
        Scope {
            recording: Arc::clone(&self.recording),
            run: self.run,
            entropy: self.entropy.as_ref().map(Entropy::split),
        }
    }
}

/// The test that runs on this thread. Assertions on another thread belong to it once that thread has entered.
///
/// ```
/// # fn spread(rng: &mut flex_harness::TestRng) {
/// use flex_harness::assert_tail_bound;
///
/// let scope = flex_harness::scope();
/// let mut rng = rng.fork();
/// let worker = std::thread::spawn(move || scope.enter(|| assert_tail_bound!(rng.seed_u64() < _)));
/// worker.join().unwrap();
/// # }
/// ```
///
/// # Panics
///
/// If no stochastic test runs on this thread.
pub fn scope() -> Scope {
    CURRENT
        .with_borrow(Clone::clone)
        .unwrap_or_else(|| panic!("{}", no_test()))
}

/// A stream of random numbers that follows the seed of the running test, for code that is not handed its
/// [`TestRng`]: fixtures, strategies of property tests, helpers deep down. Each call gives another stream, independent of
/// all others; which one depends on how many a run has asked for before, so threads of a test take theirs from the test.
///
/// ```
/// # fn weights() -> [f32; 2] {
/// use rand::RngExt;
///
/// // In a fixture, say, that a test of a framework asks for.
/// let mut rng = flex_harness::rng();
/// [rng.random(), rng.random()]
/// # }
/// ```
///
/// # Panics
///
/// If no stochastic test runs on this thread, if the thread outlived its run, and in the message of an assertion.
pub fn rng() -> TestRng {
    CURRENT.with_borrow(|current| {
        let scope = current.as_ref().unwrap_or_else(|| panic!("{}", no_test()));
        let mut recording = locked(&scope.recording);
        assert!(
            recording.run == scope.run,
            "flex: `flex_harness::rng()` was called in the message of an assertion, or by a thread that outlived its run \
             of the test; take it in the test itself"
        );
        let number = recording.streams;
        recording.streams += 1;
        TestRng::numbered(recording.seed, number)
    })
}

/// Ends the run of the test as inconclusive: see [`inconclusive!`](crate::inconclusive!). On a thread that belongs to no
/// stochastic test it panics like any other failure.
pub fn inconclusive(why: String) -> ! {
    let is_taken = CURRENT.with_borrow(|current| {
        let scope = current.as_ref()?;
        let mut recording = locked(&scope.recording);
        (recording.run == scope.run).then(|| {
            recording.inconclusive.get_or_insert(why.clone());
        })
    });
    match is_taken {
        // Past the hook that says where a panic came from: this is none.
        Some(()) => resume_unwind(Box::new(why)),
        None => panic!("inconclusive: {why}"),
    }
}

/// Runs are counted from 1 on.
const IN_A_MESSAGE: u64 = 0;

/// What is said where no test is that could take a value.
pub(super) fn no_test() -> String {
    // rustdoc runs what it builds in a folder of this name.
    let is_of_rustdoc = |program: PathBuf| {
        let mut folders = program.components();
        folders.any(|folder| {
            folder
                .as_os_str()
                .as_encoded_bytes()
                .starts_with(b"rustdoctest")
        })
    };
    let instead = match std::env::current_exe().is_ok_and(is_of_rustdoc) {
        true => {
            "nobody runs any in a documentation test, which is a program of its own: test this in `tests/` or `mod tests`"
        }
        false => {
            "call `flex_harness::scope()` in the test and `scope.enter(|| …)` in the thread, or annotate the test with \
             `#[stochastic_test]`"
        }
    };
    format!("flex: no stochastic test runs on this thread; {instead}")
}

impl Scope {
    /// Runs `body` as a part of the test.
    pub fn enter<T>(&self, body: impl FnOnce() -> T) -> T {
        /// Puts back what was there before, also when `body` panics.
        struct Restore(Option<Scope>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _restore = Restore(CURRENT.replace(Some(self.clone())));
        match &self.entropy {
            Some(entropy) => entropy.during(body),
            None => body(),
        }
    }

    /// The same test and run. Unlike a clone it has no stream of entropy, so a hit draws nothing.
    pub(super) fn for_one_hit(&self) -> Scope {
        Scope {
            recording: Arc::clone(&self.recording),
            run: self.run,
            entropy: None,
        }
    }

    /// Makes a message. Calibration makes none, so an assertion in one could never be calibrated.
    pub(super) fn within_message(&self, message: &dyn Fn() -> String) -> String {
        let hits_nothing = Scope {
            run: IN_A_MESSAGE,
            ..self.for_one_hit()
        };
        hits_nothing.enter(message)
    }

    /// The recording, for one hit of `site`; `None` if the run is over and the site can do without.
    pub(super) fn lock(&self, site: &Assertion) -> Option<MutexGuard<'_, Recording>> {
        if self.run == IN_A_MESSAGE && !site.hard {
            panic!(
                "flex: `{}` ({}:{}) stands in the message of another assertion; move it out of there",
                site.text, site.file, site.line
            );
        }
        let recording = locked(&self.recording);
        if recording.run == self.run {
            return Some(recording);
        }
        drop(recording);
        if site.hard {
            return None;
        }
        panic!(
            "flex: `{}` ({}:{}) was hit by a thread that outlived its run of the test; join the thread in the test",
            site.text, site.file, site.line
        );
    }
}

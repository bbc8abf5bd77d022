//! The random numbers of a run: everything that a test draws follows from the seed of its run.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng, TryRng};

/// The source of randomness that a stochastic test gets: ChaCha8, seeded anew for each run.
///
/// It has the traits of rand 0.10, so it goes wherever a `rand::Rng` goes; with the features `rand_0_9` and `rand_0_8`
/// also those of these versions. Libraries that want a seed instead get one from [`seed_u64`](TestRng::seed_u64) or
/// [`seed_bytes`](TestRng::seed_bytes).
///
/// A clone goes on with the same numbers as its original; [`fork`](TestRng::fork) gives others.
#[derive(Debug)]
pub struct TestRng {
    stream: ChaCha8Rng,
    /// Atomic, because a clone counts as a draw: nobody asks what becomes of it.
    drawn: AtomicBool,
}

/// The streams of a seed: `TestRng` is 0, 1 decides the [entropy](crate::entropy) of a run, and [`rng`](crate::rng())
/// takes the others.
const FIRST_NUMBERED: u64 = 2;

impl TestRng {
    /// The stream of a seed.
    pub(crate) fn new(seed: [u8; 32]) -> Self {
        TestRng {
            stream: ChaCha8Rng::from_seed(seed),
            drawn: AtomicBool::new(false),
        }
    }

    /// One of the further streams of a seed.
    pub(crate) fn numbered(seed: [u8; 32], number: u64) -> Self {
        let mut rng = TestRng::new(seed);
        rng.stream.set_stream(FIRST_NUMBERED + number);
        rng
    }

    /// A seed for a library that wants a number.
    pub fn seed_u64(&mut self) -> u64 {
        self.next_u64()
    }

    /// A seed for a library that wants bytes.
    pub fn seed_bytes(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.fill_bytes(&mut seed);
        seed
    }

    /// An independent stream, for a thread of its own: what it draws does not depend on what this one draws next.
    pub fn fork(&mut self) -> TestRng {
        TestRng::new(self.seed_bytes())
    }

    /// Whether anything was drawn.
    pub(crate) fn drawn(&self) -> bool {
        self.drawn.load(Ordering::Relaxed)
    }
}

impl Clone for TestRng {
    fn clone(&self) -> Self {
        self.drawn.store(true, Ordering::Relaxed);
        let mut stream = ChaCha8Rng::from_seed(self.stream.get_seed());
        stream.set_stream(self.stream.get_stream());
        stream.set_word_pos(self.stream.get_word_pos());
        TestRng {
            stream,
            drawn: AtomicBool::new(true),
        }
    }
}

impl TryRng for TestRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        *self.drawn.get_mut() = true;
        self.stream.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        *self.drawn.get_mut() = true;
        self.stream.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        *self.drawn.get_mut() = true;
        self.stream.try_fill_bytes(bytes)
    }
}

/// What the traits of older versions of rand have in common.
#[cfg(any(feature = "rand_0_9", feature = "rand_0_8"))]
macro_rules! draw_as_today {
    () => {
        fn next_u32(&mut self) -> u32 {
            Rng::next_u32(self)
        }

        fn next_u64(&mut self) -> u64 {
            Rng::next_u64(self)
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            Rng::fill_bytes(self, bytes);
        }
    };
}

#[cfg(feature = "rand_0_9")]
impl rand_core_0_9::RngCore for TestRng {
    draw_as_today!();
}

#[cfg(feature = "rand_0_8")]
impl rand_core_0_6::RngCore for TestRng {
    draw_as_today!();

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core_0_6::Error> {
        Rng::fill_bytes(self, bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[cfg(all(feature = "rand_0_8", feature = "rand_0_9"))]
    #[test]
    fn every_version_of_rand_draws_from_the_same_stream() {
        let mut now = TestRng::new([7; 32]);
        let (mut older, mut oldest) = (TestRng::new([7; 32]), TestRng::new([7; 32]));
        for _ in 0..100 {
            let expected = now.random::<f64>();
            assert_eq!(rand_0_9::Rng::random::<f64>(&mut older), expected);
            assert_eq!(rand_0_8::Rng::r#gen::<f64>(&mut oldest), expected);
        }
        assert!(older.drawn() && oldest.drawn());
    }

    #[test]
    fn it_is_the_chacha8_of_rand_chacha() {
        let mut ours = TestRng::new([7; 32]);
        let mut theirs = rand_chacha::ChaCha8Rng::from_seed([7; 32]);
        assert!(!ours.drawn());
        for _ in 0..100 {
            assert_eq!(ours.random::<f64>(), theirs.random::<f64>());
        }
        assert!(ours.drawn());
    }

    #[test]
    fn a_clone_goes_on_with_the_same_numbers() {
        for mut original in [TestRng::new([3; 32]), TestRng::numbered([3; 32], 4)] {
            for drawn in 0..70 {
                // Half a block of 64 bits, so that clones begin within one too.
                Rng::next_u32(&mut original);
                let mut clone = original.clone();
                let mut next = original.clone();
                for _ in 0..40 {
                    assert_eq!(clone.seed_u64(), next.seed_u64(), "after {drawn} draws");
                }
                assert_eq!(original.clone().seed_bytes(), original.seed_bytes());
            }
        }
    }

    #[test]
    fn a_clone_counts_as_a_draw() {
        let original = TestRng::new([3; 32]);
        assert!(original.clone().drawn());
        assert!(original.drawn());
    }

    #[test]
    fn numbered_streams_are_those_of_chacha() {
        let mut theirs = rand_chacha::ChaCha8Rng::from_seed([7; 32]);
        theirs.set_stream(5);
        let mut ours = TestRng::numbered([7; 32], 3);
        for _ in 0..100 {
            assert_eq!(ours.random::<f64>(), theirs.random::<f64>());
        }
    }

    #[test]
    fn a_fork_does_not_depend_on_what_is_drawn_afterwards() {
        let (mut a, mut b) = (TestRng::new([1; 32]), TestRng::new([1; 32]));
        let (mut fork_a, mut fork_b) = (a.fork(), b.fork());
        b.seed_u64();
        assert_eq!(fork_a.seed_bytes(), fork_b.seed_bytes());
        assert_ne!(a.seed_u64(), fork_a.seed_u64());
    }
}

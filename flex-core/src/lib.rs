//! The statistical engine of flex: bounds for random values, with a stated false-alarm rate.
//!
//! From the values that unchanged code gives, [`bound::LearnedBound`] learns how far they can stray:
//!
//! ```
//! use flex_core::bound::{LearnedBound, Question};
//! use flex_core::bound::confidence::Confidence;
//! use flex_core::bound::race::{Walk, WalkStep};
//! use flex_core::sample::Samples;
//! use flex_core::tail::{Side, Tail};
//!
//! // One value per run; here the quantiles of an exponential distribution.
//! let values: Vec<f64> = (0..100).map(|i| -((i as f64 + 0.5) / 100.0).ln()).collect();
//! let question = Question::new(Tail::Upper, Confidence::new(0.9999)?);
//! let bound = LearnedBound::learn(&Samples::from_values(&values), &question);
//!
//! // Two tiers: beyond the guard the test is rerun, beyond the ceiling it fails at once.
//! let guard = bound.sides[0].guard.as_ref().map_err(|why| why.to_string())?;
//! let ceiling = bound.sides[0].ceiling.as_ref().map_err(|why| why.to_string())?;
//! assert!(guard.bound < ceiling.bound);
//!
//! // A value beyond the guard starts a race of reruns. Ordinary values clear it, further strange ones lose it.
//! let race = &guard.race;
//! let mut walk = Walk::start(race, Side::Upper, guard.bound + 1.0);
//! while walk.step(race) == WalkStep::Rerun {
//!     walk.add(race, Side::Upper, Some(0.1));
//! }
//! assert_eq!(walk.step(race), WalkStep::Cleared);
//! # Ok::<(), String>(())
//! ```
//!
//! [`calibration::Calibration`] collects the runs of a whole test, and [`seed::Seeds`] decides what each run draws.
//! Nothing here reads a file or a clock, starts a thread or keeps global state; equal samples give bit-equal results.

#![forbid(unsafe_code)]

pub mod arrays;
pub mod bound;
pub mod calibration;
pub mod drift;
pub mod law;
mod numeric;
pub mod paint;
#[cfg(feature = "published")]
pub mod published;
pub mod sample;
pub mod search;
pub mod seed;
pub mod sequential;
pub mod signs;
pub mod sorted;
pub mod tail;
pub mod visible;
pub mod words;

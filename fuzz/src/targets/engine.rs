//! The engine: any numbers, and any question about them.

use flex_core::bound::confidence::{Confidence, Share};
use flex_core::bound::declared::DeclaredRate;
use flex_core::bound::guard::Settling;
use flex_core::bound::race::{Walk, WalkStep};
use flex_core::bound::{LearnedBound, Question, SideBound};
use flex_core::sample::Samples;
use flex_core::sample::second_mode::SecondMode;
use flex_core::tail::{Domain, Tail};

/// The most numbers of an input: what is learned of many takes long.
const MOST: usize = 96;

/// A bound is learned or refused with a reason, whatever the order of the samples; it holds its samples, and races end.
pub fn engine(bytes: &[u8]) {
    let Some((question, values)) = asked(bytes) else {
        return;
    };
    let samples = Samples::from_values(&values);
    let bound = LearnedBound::learn(&samples, &question);
    let numbered = (0..).zip(values.iter().copied());
    let reversed: Vec<(u32, f64)> = numbered.collect::<Vec<_>>().into_iter().rev().collect();
    let again = LearnedBound::learn(&Samples::new(reversed), &question);
    assert_eq!(format!("{bound:?}"), format!("{again:?}"), "another order");
    let _ = (bound.strategy(), bound.reason(), bound.extra_runs());
    let _ = SecondMode::find(&samples);
    for side in &bound.sides {
        holds(side, &values);
        let declared = values.first().copied().unwrap_or(f64::NAN);
        let rate = DeclaredRate::count(&samples, side.side, declared);
        assert!(rate.failures <= values.len());
    }
}

fn holds(bound: &SideBound, values: &[f64]) {
    let side = bound.side;
    if let Err(why) = &bound.ceiling {
        assert!(!why.to_string().is_empty());
    }
    if let Ok(ceiling) = &bound.ceiling {
        assert!(ceiling.bound.is_finite(), "{bound:?}");
    }
    let guard = match &bound.guard {
        Ok(guard) => guard,
        Err(why) => {
            assert!(!why.to_string().is_empty());
            return;
        }
    };
    assert!(guard.bound.is_finite(), "{bound:?}");
    if let Ok(ceiling) = &bound.ceiling {
        assert!(!side.is_beyond(guard.bound, ceiling.bound), "{bound:?}");
    }
    let race = &guard.race;
    let mut walk = Walk::start(race, side, guard.bound);
    for rerun in 0..=race.most_reruns() as usize {
        if walk.step(race) != WalkStep::Rerun {
            return;
        }
        let value = values.get(rerun % values.len().max(1)).copied();
        walk.add(race, side, value);
    }
    assert_ne!(walk.step(race), WalkStep::Rerun, "a race without an end");
}

/// The question of an input, in its first bytes, and its numbers.
fn asked(bytes: &[u8]) -> Option<(Question, Vec<f64>)> {
    let ([how, form, nines, effort, reruns, low, high], rest) = bytes.split_first_chunk()?;
    let tail = [Tail::Upper, Tail::Lower, Tail::Both][usize::from(how % 3)];
    let rate = 0.5_f64.powi(i32::from(nines % 40) + 1);
    let confidence = Confidence::new(1.0 - rate).ok()?;
    let values: Vec<f64> = match form % 4 {
        // Any bits.
        0 => rest
            .as_chunks()
            .0
            .iter()
            .map(|it| f64::from_le_bytes(*it))
            .collect(),
        // Numbers of half the width: some digits are 0.
        1 => rest
            .as_chunks()
            .0
            .iter()
            .map(|it| f64::from(f32::from_le_bytes(*it)))
            .collect(),
        // Whole numbers: ties and lattices.
        2 => rest.iter().map(|it| f64::from(*it as i8)).collect(),
        // Numbers close together.
        _ => rest
            .iter()
            .map(|it| 1.0 + f64::from(*it) * f64::EPSILON)
            .collect(),
    };
    let values = values.into_iter().take(MOST).collect();
    let (low, high) = (f64::from(*low as i8), f64::from(*high as i8));
    let question = Question {
        share: Share {
            confidence,
            effort: f64::from(*effort) / 64.0,
        },
        domain: (how & 64 != 0)
            .then(|| Domain::new(low, high).ok())
            .flatten(),
        light: how & 32 != 0,
        settling: match how & 16 {
            0 => Settling::Replay,
            _ => Settling::Reruns,
        },
        most_reruns: u32::from(*reruns),
        ..Question::new(tail, confidence)
    };
    Some((question, values))
}

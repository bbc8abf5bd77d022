//! Pairs of which one is worse.

use flex_core::sequential::Truth;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::laws::{SYMMETRIC, no_worse};
use super::question::{ALPHA, Question, normal_runs};

/// Effects in standard deviations of normal differences.
const EFFECTS: [f64; 5] = [0.1, 0.2236, 0.559, 1.118, 3.54];

pub fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    for effect in EFFECTS {
        let ratio = move |d: f64| (2.0 * effect * d).exp();
        questions.push(Question {
            truth: Some(Truth::Spread {
                mean: effect,
                sd: 1.0,
            }),
            ..question("normal", effect, normal, ratio, 0.955)
        });
    }
    // Their densities at d and −d, as a ratio; and how much signed ranks need beside means (Lehmann 1975, table 4.1).
    let laplace = |d: f64| (-(d - 0.5).abs() + (d + 0.5).abs()).exp();
    let logistic = |d: f64| {
        let density = |x: f64| (-x).exp() / (1.0 + (-x).exp()).powi(2);
        density(d - 0.5) / density(d + 0.5)
    };
    let t = |d: f64| ((1.0 + (d + 0.5).powi(2) / 3.0) / (1.0 + (d - 0.5).powi(2) / 3.0)).powi(2);
    questions.push(question("Laplace", 0.5, law("Laplace"), laplace, 1.5 * 0.5));
    questions.push(question(
        "logistic",
        0.5,
        law("logistic"),
        logistic,
        1.097 * 0.304,
    ));
    questions.push(question(
        "t with 3 degrees",
        0.5,
        law("t with 3 degrees"),
        t,
        1.9 / 3.0,
    ));
    questions
}

fn law(name: &str) -> fn(&mut ChaCha8Rng) -> f64 {
    let found = SYMMETRIC.iter().find(|(law, ..)| *law == name);
    found.map_or(normal, |(_, _, draw)| *draw)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A question about a law that is moved by `effect`; `ratio` is that of its densities at d and −d, and `efficiency` that of
/// signed ranks, times the inverse of the variance.
fn question(
    name: &str,
    effect: f64,
    draw: fn(&mut ChaCha8Rng) -> f64,
    ratio: impl Fn(f64) -> f64,
    efficiency: f64,
) -> Question {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    const DRAWS: usize = 400_000;
    // The best bet on a sign, given the size: twice its probability.
    let growth = (0..DRAWS).map(|_| {
        let d = draw(&mut rng) + effect;
        (2.0 / (1.0 + 1.0 / ratio(d))).ln()
    });
    let growth = growth.sum::<f64>() / DRAWS as f64;
    Question {
        name: format!("no worse | {name}, +{effect}"),
        claim: no_worse(0.0),
        oracle: -ALPHA.ln() / growth,
        fixed: normal_runs(effect) / efficiency,
        beside: None,
        bar: None,
        truth: None,
        draw: Box::new(move |rng| (draw(rng) + effect, Some(0.0))),
    }
}

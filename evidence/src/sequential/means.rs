//! Means that are too large.

use flex_core::sequential::{Allowed, Truth};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::laws::{UNIT_LAWS, UnitLaw, beta, mean_claim};
use super::question::{ALPHA, Question, normal_runs};

pub fn questions() -> Vec<Question> {
    let mut questions = Vec::new();
    // Values with a standard deviation of 0.03 in [0, 1], and a mean that is worse than 0.1.
    for (words, part, bar) in [
        ("1/3", 1.0 / 3.0, 238.0),
        ("1/2", 0.5, 139.0),
        ("1", 1.0, 67.0),
    ] {
        let mean = 0.1 + 0.03 * part;
        let size = mean * (1.0 - mean) / 0.0009 - 1.0;
        let (a, b) = (mean * size, (1.0 - mean) * size);
        questions.push(question(
            format!("mean ≤ 0.1, sd 0.03 | +{words} sd"),
            0.1,
            part,
            Some(bar),
            move |rng| beta(a, b, rng),
            Some(Truth::Spread { mean, sd: 0.03 }),
        ));
    }
    // The laws of the first table, with a bound half a standard deviation below their mean.
    for UnitLaw {
        name,
        mean,
        sd,
        draw,
    } in UNIT_LAWS
    {
        let bound = mean - 0.5 * sd;
        if name == "constant" || bound <= 0.0 {
            continue;
        }
        let name = format!("mean ≤ {bound:.3} | {name}, +1/2 sd");
        questions.push(question(name, bound, 0.5, None, draw, None));
    }
    questions
}

fn question(
    name: String,
    bound: f64,
    effect: f64,
    bar: Option<f64>,
    draw: impl Fn(&mut ChaCha8Rng) -> f64 + Send + Sync + 'static,
    truth: Option<Truth<'static>>,
) -> Question {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let values: Vec<f64> = (0..200_000).map(|_| draw(&mut rng)).collect();
    Question {
        name,
        claim: mean_claim(Allowed::AtMost(bound), 0.0),
        oracle: -ALPHA.ln() / best_growth(&values, bound),
        fixed: normal_runs(effect),
        beside: Some(agrapa(&values, bound)),
        bar,
        truth,
        draw: Box::new(move |rng| (draw(rng), None)),
    }
}

/// The largest mean of ln(1 + λ(x − t)), which is the least relative entropy to a law on the interval with a mean of at
/// most t (Honda & Takemura 2010): by golden section, since it is concave in λ.
fn best_growth(values: &[f64], bound: f64) -> f64 {
    let growth = |bet: f64| {
        let logarithms = values.iter().map(|x| (1.0 + bet * (x - bound)).ln());
        logarithms.sum::<f64>() / values.len() as f64
    };
    let (mut low, mut high) = (0.0, (1.0 - 1e-9) / bound);
    for _ in 0..40 {
        let (a, b) = (
            high - 0.618_034 * (high - low),
            low + 0.618_034 * (high - low),
        );
        if growth(a) < growth(b) {
            low = a
        } else {
            high = b
        }
    }
    growth(low)
}

/// The mean runs of a test with approximate GRAPA bets, one after the other on these values (Waudby-Smith & Ramdas 2024,
/// appendix B.3, with c = 1/2).
fn agrapa(values: &[f64], bound: f64) -> f64 {
    let (mut tests, mut runs) = (0, 0);
    let mut rest = values.iter();
    while tests < 500 {
        let (mut sum, mut squares, mut capital, mut n) = (0.5, 0.25, 0.0, 1.0);
        loop {
            let Some(x) = rest.next() else {
                return runs as f64 / f64::from(tests.max(1));
            };
            let (mean, variance) = (sum / n, squares / n);
            let gap: f64 = mean - bound;
            let bet = (gap / (variance + gap * gap)).clamp(0.0, 0.5 / bound);
            capital += (1.0 + bet * (x - bound)).ln();
            n += 1.0;
            sum += x;
            squares += (x - sum / n).powi(2);
            if capital >= -ALPHA.ln() {
                break;
            }
        }
        tests += 1;
        runs += n as u64 - 1;
    }
    runs as f64 / f64::from(tests)
}

//! Root finding for functions that do not fall.

/// Where `f` crosses zero between `low` and `high`, to within `tolerance` times max(1, |x|).
///
/// The Illinois variant of the false position (Dowell & Jarratt 1971): an end that stays twice has its value halved,
/// so that neither end is stuck. A step in three that did not halve the interval is a bisection.
pub(crate) fn crossing(
    mut low: f64,
    mut high: f64,
    tolerance: f64,
    mut f: impl FnMut(f64) -> f64,
) -> f64 {
    let (mut f_low, mut f_high) = (f(low), f(high));
    let mut stayed = 0i32;
    let mut width = high - low;
    let mut root = f64::INFINITY;
    for step in 1..200 {
        let secant = high - f_high * (high - low) / (f_high - f_low);
        let bisect = step % 3 == 0 && high - low > 0.5 * width;
        if step % 3 == 0 {
            width = high - low;
        }
        let middle = if !bisect && secant > low && secant < high {
            secant
        } else {
            0.5 * (low + high)
        };
        let allowed = tolerance * middle.abs().max(1.0);
        let moved = (middle - root).abs();
        root = middle;
        if moved <= allowed || high - low <= allowed {
            break;
        }
        let value = f(middle);
        if value < 0.0 {
            (low, f_low) = (middle, value);
            if stayed < 0 {
                f_high *= 0.5;
            }
            stayed = -1;
        } else {
            (high, f_high) = (middle, value);
            if stayed > 0 {
                f_low *= 0.5;
            }
            stayed = 1;
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn check(low: f64, high: f64, root: f64, most: u32, f: impl Fn(f64) -> f64) {
        let calls = Cell::new(0);
        let got = crossing(low, high, 1e-12, |x| {
            calls.set(calls.get() + 1);
            f(x)
        });
        assert!((got - root).abs() <= 1e-11 * root.abs().max(1.0), "{got}");
        assert!(calls.get() <= most, "{} calls", calls.get());
    }

    #[test]
    fn roots_are_found_in_few_calls() {
        check(0.0, 2.0, 2f64.sqrt(), 12, |x| x * x - 2.0);
        check(-40.0, 60.0, 1.5, 35, |x| (x - 1.5).tanh());
        check(-30.0, 30.0, 0.975f64.ln() - 0.025f64.ln(), 35, |x: f64| {
            1.0 / (1.0 + (-x).exp()) - 0.975
        });
        check(0.0, 1.0, 0.0, 200, |x| x * x * x);
    }
}

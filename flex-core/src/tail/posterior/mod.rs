//! The posterior of a generalised Pareto tail on a grid (docs/design/bound.md, "Step 2: the tail").
//!
//! Prior ξ ~ N(0.15, 0.2²), flat in ln σ. The grid has 28 shapes; for each, the mode in ln σ is found and the
//! likelihood is summed over 11 cells around it. Excesses are measured in units of their mean, so that nothing
//! depends on the scale of the data, and the grid lives on the stack.

use crate::arrays::each;
use crate::numeric::root::crossing;
use crate::numeric::special::beta_quantile;
use crate::tail::gpd::{growth, hazard};

const SHAPES: usize = 28;
const FIRST_SHAPE: f64 = -0.475;
const SHAPE_STEP: f64 = 0.05;
const SCALES: usize = 11;
const RATES: usize = 8;

const PRIOR_MEAN: f64 = 0.15;
const PRIOR_SD: f64 = 0.2;

/// Shapes whose best scale is this many nats under the best of all weigh nothing.
const NEGLIGIBLE: f64 = 12.0;

/// The posterior along ln σ for one shape: a histogram of equal cells.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    shape: f64,
    /// Where the first cell begins, and how wide each is, in ln σ.
    low: f64,
    step: f64,
    /// The weight of each cell; over all rows they add up to 1.
    weights: [f64; SCALES],
    /// The weight of all cells before each.
    before: [f64; SCALES],
}

/// A distribution over tails; scales are in units of the mean excess.
pub(crate) struct TailPosterior {
    rows: [Row; SHAPES],
    len: usize,
    unit: f64,
}

impl TailPosterior {
    /// The posterior given ascending excesses, of which the `censored` largest are only known to exceed the largest
    /// of the others.
    pub fn new(excesses: &[f64], censored: usize) -> Self {
        let seen = &excesses[..excesses.len() - censored];
        let top = seen.last().copied().unwrap_or(1.0);
        let unit = top * (seen.iter().map(|y| y / top).sum::<f64>() / seen.len() as f64);
        let scaled: Vec<f64> = seen.iter().map(|y| y / unit).collect();
        let tail = ScaledTail {
            largest: top / unit,
            values: &scaled,
            censored: censored as f64,
        };
        let mut rows = [Row::default(); SHAPES];
        let mut len = 0;
        let mut best = f64::NEG_INFINITY;
        let mut scale = 1.0;
        for i in 0..SHAPES {
            let shape = FIRST_SHAPE + SHAPE_STEP * i as f64;
            scale = tail.modal_scale(shape, scale);
            let spread = ((1.0 + 2.0 * shape.max(-0.45)).max(0.2) / excesses.len() as f64).sqrt();
            let end = (-shape * tail.largest).max(0.0).ln();
            let low = (scale.ln() - 4.5 * spread).max(end);
            let step = (scale.ln() + 5.0 * spread - low) / SCALES as f64;
            let prior = -0.5 * ((shape - PRIOR_MEAN) / PRIOR_SD).powi(2) + step.ln();
            let mut row = Row {
                shape,
                low,
                step,
                weights: [0.0; SCALES],
                before: [0.0; SCALES],
            };
            let ratio = (-step).exp();
            let mut inverse_scale = (-low - 0.5 * step).exp();
            for (j, weight) in row.weights.iter_mut().enumerate() {
                let ln_scale = low + step * (j as f64 + 0.5);
                *weight = prior + tail.log_likelihood(shape, ln_scale, inverse_scale);
                inverse_scale *= ratio;
            }
            let peak = row
                .weights
                .iter()
                .copied()
                .fold(f64::NEG_INFINITY, f64::max);
            best = best.max(peak);
            if peak > best - NEGLIGIBLE {
                rows[len] = row;
                len += 1;
            }
        }
        let mut total = 0.0;
        for row in &mut rows[..len] {
            row.weights = sharpen(each(&row.weights, |weight| (weight - best).exp()));
            total += row.weights.iter().sum::<f64>();
        }
        for row in &mut rows[..len] {
            let mut sum = 0.0;
            for (weight, before) in row.weights.iter_mut().zip(&mut row.before) {
                *weight /= total;
                *before = sum;
                sum += *weight;
            }
        }
        TailPosterior { rows, len, unit }
    }

    fn rows(&self) -> &[Row] {
        &self.rows[..self.len]
    }

    /// The posterior means of ξ and (through its logarithm) σ.
    pub fn mean(&self) -> (f64, f64) {
        let (mut shape, mut ln_scale) = (0.0, 0.0);
        for row in self.rows() {
            for (j, weight) in row.weights.iter().enumerate() {
                shape += weight * row.shape;
                ln_scale += weight * (row.low + row.step * (j as f64 + 0.5));
            }
        }
        (shape, ln_scale.exp() * self.unit)
    }

    /// Quantiles of the excess that is exceeded with probability p, if the threshold itself is exceeded with one of
    /// the equally likely `rates`, at each of the posterior `probabilities`.
    pub fn excess_quantiles<const N: usize>(
        &self,
        p: f64,
        rates: &[f64; RATES],
        probabilities: [f64; N],
    ) -> [f64; N] {
        // The excess is σ·growth, so in logarithms each pair of shape and rate only moves the histogram of ln σ.
        let mut shifts = [[0.0; RATES]; SHAPES];
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (row, shifts) in self.rows().iter().zip(&mut shifts) {
            *shifts = each(rates, |rate| growth((rate / p).ln(), row.shape).ln());
            low = shifts
                .iter()
                .fold(low, |low, shift| low.min(row.low + shift));
            let end = row.low + row.step * SCALES as f64;
            high = shifts
                .iter()
                .fold(high, |high, shift| high.max(end + shift));
        }
        let below = |ln_excess: f64| -> f64 {
            let rows = self.rows().iter().zip(&shifts);
            let of_row = |(row, shifts): (&Row, &[f64; RATES])| -> f64 {
                shifts
                    .iter()
                    .map(|shift| row.below(ln_excess - shift))
                    .sum()
            };
            rows.map(of_row).sum::<f64>() / RATES as f64
        };
        each(&probabilities, |probability| {
            let ln_excess = crossing(low, high, 1e-13, |x| below(x) - probability);
            self.unit * ln_excess.exp()
        })
    }

    /// The excess that the next sample exceeds with probability p, if it exceeds the threshold with probability
    /// `rate`: the posterior predictive quantile.
    pub fn predictive_excess(&self, p: f64, rate: f64) -> f64 {
        let beyond = |ln_excess: f64| {
            let of_row = |row: &Row| {
                let of_cell = |(j, weight): (usize, &f64)| {
                    let ln_scale = row.low + row.step * (j as f64 + 0.5);
                    weight * (-hazard((ln_excess - ln_scale).exp(), row.shape)).exp()
                };
                row.weights.iter().enumerate().map(of_cell).sum::<f64>()
            };
            rate * self.rows().iter().map(of_row).sum::<f64>()
        };
        // Between an excess that nearly every tail passes and one that none does at any p worth asking for.
        self.unit * crossing(-50.0, 200.0, 1e-13, |x| p - beyond(x)).exp()
    }
}

/// Takes back what spreading weights evenly over their cells will add to the variance, a twelfth of the squared width
/// (Sheppard 1898): each weight gives a 24th of its second difference. Ends are mirrored.
fn sharpen(weights: [f64; SCALES]) -> [f64; SCALES] {
    let mut sharpened = weights;
    for (j, weight) in sharpened.iter_mut().enumerate() {
        let left = weights[j.saturating_sub(1)];
        let right = weights[(j + 1).min(SCALES - 1)];
        *weight = (weights[j] - (left - 2.0 * weights[j] + right) / 24.0).max(0.0);
    }
    sharpened
}

impl Row {
    /// The weight of ln σ ≤ x, with the weight of each cell spread evenly over it.
    fn below(&self, x: f64) -> f64 {
        let place = ((x - self.low) / self.step).clamp(0.0, SCALES as f64);
        let cell = (place as usize).min(SCALES - 1);
        self.before[cell] + (place - cell as f64) * self.weights[cell]
    }
}

/// Equally likely values of the exceedance rate: mid-quantiles of Beta(k+1, n−k).
pub(crate) fn exceedance_rates(k: usize, n: usize) -> [f64; RATES] {
    let mut rates = [0.0; RATES];
    for (j, rate) in rates.iter_mut().enumerate() {
        let probability = (j as f64 + 0.5) / RATES as f64;
        *rate = beta_quantile((k + 1) as f64, (n - k) as f64, probability);
    }
    rates
}

/// Ascending excesses in units of their mean.
struct ScaledTail<'a> {
    values: &'a [f64],
    largest: f64,
    censored: f64,
}

impl ScaledTail<'_> {
    fn log_likelihood(&self, shape: f64, ln_scale: f64, inverse_scale: f64) -> f64 {
        let slope = shape * inverse_scale;
        let logs = sum_of_logs(self.values, slope);
        let beyond = if self.censored > 0.0 {
            self.censored / shape * (slope * self.largest).ln_1p()
        } else {
            0.0
        };
        -(self.values.len() as f64) * ln_scale - (1.0 + 1.0 / shape) * logs - beyond
    }

    /// The scale with the largest likelihood for this shape: the root of a strictly falling function h, found by
    /// Newton's method on 1/h, which is linear for ξ = 0 and nearly so elsewhere.
    fn modal_scale(&self, shape: f64, start: f64) -> f64 {
        let target = self.values.len() as f64;
        let mut low = (-shape * self.largest).max(0.0);
        let mut high = f64::INFINITY;
        let mut scale = if start > low { start } else { low * 1.01 };
        for _ in 0..100 {
            let (mut h, mut slope) = (0.0, 0.0);
            for z in self.values {
                let inverse = 1.0 / (scale + shape * z);
                h += z * inverse;
                slope += z * inverse * inverse;
            }
            let inverse = 1.0 / (scale + shape * self.largest);
            h = (1.0 + shape) * h + self.censored * self.largest * inverse;
            slope = (1.0 + shape) * slope + self.censored * self.largest * inverse * inverse;
            if h > target {
                low = scale;
            } else {
                high = scale;
            }
            let newton = scale + (h / target - 1.0) * h / slope;
            let next = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * scale
            };
            if (next - scale).abs() <= 1e-13 * scale {
                return next;
            }
            scale = next;
        }
        scale
    }
}

/// Σ ln(1 + slope·z), with one logarithm for every sixteen factors.
fn sum_of_logs(values: &[f64], slope: f64) -> f64 {
    let mut sum = 0.0;
    for chunk in values.chunks(16) {
        let product: f64 = chunk.iter().map(|z| 1.0 + slope * z).product();
        sum += if product > 1e-280 && product < 1e280 {
            product.ln()
        } else {
            chunk.iter().map(|z| (slope * z).ln_1p()).sum()
        };
    }
    sum
}

#[cfg(test)]
mod tests;

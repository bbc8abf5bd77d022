//! The posterior of a generalised Pareto tail on a grid (DESIGN §4.2, step 3).
//!
//! Prior ξ ~ N(0.15, 0.2²), flat in ln σ. The grid has 28 shapes; for each, the mode in ln σ is found and the
//! likelihood is summed at 11 midpoints around it. Excesses are measured in units of their mean, so that nothing
//! depends on the scale of the data, and all nodes live on the stack.

use crate::gpd::growth;

const SHAPES: usize = 28;
const FIRST_SHAPE: f64 = -0.475;
const SHAPE_STEP: f64 = 0.05;
const SCALES: usize = 11;
const RATES: usize = 8;

const PRIOR_MEAN: f64 = 0.15;
const PRIOR_SD: f64 = 0.2;

/// Nodes this many nats under the best one weigh nothing.
const NEGLIGIBLE: f64 = 12.0;

/// One grid point.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    shape: f64,
    scale: f64,
    weight: f64,
}

/// A distribution over tails; scales are in units of the mean excess.
pub(crate) struct TailPosterior {
    nodes: [Node; SHAPES * SCALES],
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
        let mut nodes = [Node::default(); SHAPES * SCALES];
        let mut len = 0;
        let mut best = f64::NEG_INFINITY;
        let mut scale = 1.0;
        for i in 0..SHAPES {
            let shape = FIRST_SHAPE + SHAPE_STEP * i as f64;
            scale = tail.modal_scale(shape, scale);
            let spread = ((1.0 + 2.0 * shape.max(-0.45)).max(0.2) / excesses.len() as f64).sqrt();
            let end = (-shape * tail.largest).max(0.0).ln();
            let low = (scale.ln() - 4.5 * spread).max(end);
            let high = scale.ln() + 5.0 * spread;
            let step = (high - low) / SCALES as f64;
            let prior = -0.5 * ((shape - PRIOR_MEAN) / PRIOR_SD).powi(2) + step.ln();
            for j in 0..SCALES {
                let ln_scale = low + step * (j as f64 + 0.5);
                let ln_weight = prior + tail.log_likelihood(shape, ln_scale);
                best = best.max(ln_weight);
                nodes[len] = Node {
                    shape,
                    scale: ln_scale.exp(),
                    weight: ln_weight,
                };
                len += 1;
            }
        }
        let mut kept = 0;
        let mut total = 0.0;
        for i in 0..len {
            let node = nodes[i];
            if node.weight > best - NEGLIGIBLE {
                let weight = (node.weight - best).exp();
                total += weight;
                nodes[kept] = Node { weight, ..node };
                kept += 1;
            }
        }
        for node in &mut nodes[..kept] {
            node.weight /= total;
        }
        TailPosterior {
            nodes,
            len: kept,
            unit,
        }
    }

    fn nodes(&self) -> &[Node] {
        &self.nodes[..self.len]
    }

    /// The posterior means of ξ and (through its logarithm) σ.
    pub fn mean(&self) -> (f64, f64) {
        let (mut shape, mut ln_scale) = (0.0, 0.0);
        for node in self.nodes() {
            shape += node.weight * node.shape;
            ln_scale += node.weight * node.scale.ln();
        }
        (shape, ln_scale.exp() * self.unit)
    }

    /// Quantiles of the excess that is exceeded with probability p, if the threshold itself is exceeded with one of
    /// the equally likely `rates`: the least excess with posterior probability ≥ each of `probabilities`.
    pub fn excess_quantiles<const N: usize>(
        &self,
        p: f64,
        rates: &[f64; RATES],
        probabilities: [f64; N],
    ) -> [f64; N] {
        let mut excesses = [(0.0, 0.0); SHAPES * SCALES * RATES];
        let mut len = 0;
        let mut shape = f64::NAN;
        let mut growths = [0.0; RATES];
        for node in self.nodes() {
            if node.shape != shape {
                shape = node.shape;
                growths = rates.map(|rate| growth((rate / p).ln(), shape));
            }
            for growth in growths {
                excesses[len] = (node.scale * growth, node.weight / RATES as f64);
                len += 1;
            }
        }
        probabilities
            .map(|probability| self.unit * weighted_quantile(&mut excesses[..len], probability))
    }

    /// The excess that the next sample exceeds with probability p, if it exceeds the threshold with probability
    /// `rate`: the posterior predictive quantile.
    pub fn predictive_excess(&self, p: f64, rate: f64) -> f64 {
        let beyond = |excess: f64| -> f64 {
            rate * self
                .nodes()
                .iter()
                .map(|node| {
                    node.weight * (-crate::gpd::hazard(excess / node.scale, node.shape)).exp()
                })
                .sum::<f64>()
        };
        if rate <= p {
            return 0.0;
        }
        let mut high = 1.0;
        while beyond(high) > p && high < 1e300 {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if beyond(middle) > p {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.unit * high
    }
}

/// Equally likely values of the exceedance rate: mid-quantiles of Beta(k+1, n−k).
pub(crate) fn exceedance_rates(k: usize, n: usize) -> [f64; RATES] {
    std::array::from_fn(|j| {
        let probability = (j as f64 + 0.5) / RATES as f64;
        crate::special::beta_quantile((k + 1) as f64, (n - k) as f64, probability)
    })
}

/// Ascending excesses in units of their mean.
struct ScaledTail<'a> {
    values: &'a [f64],
    largest: f64,
    censored: f64,
}

impl ScaledTail<'_> {
    fn log_likelihood(&self, shape: f64, ln_scale: f64) -> f64 {
        let slope = shape * (-ln_scale).exp();
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

/// Σ ln(1 + slope·z), with one logarithm for every eight factors.
fn sum_of_logs(values: &[f64], slope: f64) -> f64 {
    let mut sum = 0.0;
    for chunk in values.chunks(8) {
        let product: f64 = chunk.iter().map(|z| 1.0 + slope * z).product();
        sum += if product > 1e-280 && product < 1e280 {
            product.ln()
        } else {
            chunk.iter().map(|z| (slope * z).ln_1p()).sum()
        };
    }
    sum
}

/// The least value whose weight, with that of all smaller ones, reaches `probability` (quickselect on weights).
fn weighted_quantile(values: &mut [(f64, f64)], probability: f64) -> f64 {
    let mut rest = values;
    let mut below = 0.0;
    loop {
        let len = rest.len();
        let pivot = match len {
            0 => return f64::NAN,
            1 => return rest[0].0,
            _ => median_of_three(rest[0].0, rest[len / 2].0, rest[len - 1].0),
        };
        let (mut smaller, mut greater, mut i) = (0, len, 0);
        let (mut weight_smaller, mut weight_equal) = (0.0, 0.0);
        while i < greater {
            let (value, weight) = rest[i];
            if value < pivot {
                weight_smaller += weight;
                rest.swap(i, smaller);
                smaller += 1;
                i += 1;
            } else if value > pivot {
                greater -= 1;
                rest.swap(i, greater);
            } else {
                weight_equal += weight;
                i += 1;
            }
        }
        let taken = rest;
        if smaller > 0 && below + weight_smaller >= probability {
            rest = &mut taken[..smaller];
        } else if greater == len || below + weight_smaller + weight_equal >= probability {
            return pivot;
        } else {
            below += weight_smaller + weight_equal;
            rest = &mut taken[greater..];
        }
    }
}

fn median_of_three(a: f64, b: f64, c: f64) -> f64 {
    a.max(b).min(a.min(b).max(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weighted_quantile_is_that_of_the_sorted_list() {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 40) as f64
        };
        for len in [1, 2, 3, 10, 500] {
            let values: Vec<(f64, f64)> = (0..len).map(|_| (next() % 50.0, next())).collect();
            let total: f64 = values.iter().map(|v| v.1).sum();
            let mut sorted = values.clone();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            for probability in [0.0, 0.1, 0.5, 0.975] {
                let mut sum = 0.0;
                let expected = sorted
                    .iter()
                    .find(|v| {
                        sum += v.1;
                        sum >= probability * total
                    })
                    .map(|v| v.0)
                    .unwrap();
                let got = weighted_quantile(&mut values.clone(), probability * total);
                assert_eq!(got, expected, "{len} {probability}");
            }
        }
    }

    #[test]
    fn the_modal_scale_maximises_the_likelihood() {
        let values = [0.02, 0.3, 0.4, 0.9, 1.1, 1.4, 2.0, 4.5];
        for censored in [0.0, 2.0] {
            let tail = ScaledTail {
                values: &values,
                largest: 4.5,
                censored,
            };
            for i in 0..SHAPES {
                let shape = FIRST_SHAPE + SHAPE_STEP * i as f64;
                let ln_scale = tail.modal_scale(shape, 1.0).ln();
                let at = tail.log_likelihood(shape, ln_scale);
                assert!(at >= tail.log_likelihood(shape, ln_scale + 1e-3), "{shape}");
                assert!(
                    !(at < tail.log_likelihood(shape, ln_scale - 1e-3)),
                    "{shape}"
                );
            }
        }
    }

    #[test]
    fn factors_of_any_size_have_logarithms() {
        let values = [1e-300, 1e100, 1e200, 1e250, 1.0, 2.0, 3.0, 4.0, 5.0];
        let expected: f64 = values.iter().map(|z: &f64| (0.5 * z).ln_1p()).sum();
        assert!((sum_of_logs(&values, 0.5) / expected - 1.0).abs() < 1e-14);
    }
}

use super::*;

/// Excesses without randomness: quantiles of an exponential.
fn excesses(k: usize) -> Vec<f64> {
    (0..k)
        .map(|i| -(1.0 - (i as f64 + 0.5) / k as f64).ln())
        .collect()
}

#[test]
fn excess_quantiles_invert_the_posterior() {
    // Against the definition: the weight of all cells and rates whose excess is below, cell by cell.
    let posterior = TailPosterior::new(&excesses(40), 0);
    let rates = exceedance_rates(40, 400);
    let p = 1e-4;
    let [median, limit] = posterior.excess_quantiles(p, &rates, [0.5, 0.975]);
    for (excess, probability) in [(median, 0.5), (limit, 0.975)] {
        let mut weight = 0.0;
        for row in posterior.rows() {
            for (j, cell) in row.weights.iter().enumerate() {
                for rate in rates {
                    for part in 0..100 {
                        let place = j as f64 + (f64::from(part) + 0.5) / 100.0;
                        let scale = (row.low + row.step * place).exp() * posterior.unit;
                        if scale * growth((rate / p).ln(), row.shape) <= excess {
                            weight += cell / (RATES as f64 * 100.0);
                        }
                    }
                }
            }
        }
        assert!(
            (weight - probability).abs() < 1e-3,
            "{weight} {probability}"
        );
    }
}

#[test]
fn sharpened_cells_keep_the_variance_of_what_they_stand_for() {
    // A normal density at the midpoints of cells of width 0.86, as for one row of the grid.
    let width = 0.86;
    let weights: [f64; SCALES] =
        std::array::from_fn(|j| (-0.5 * (width * (j as f64 - 5.0)).powi(2)).exp());
    let variance = |weights: [f64; SCALES]| {
        let total: f64 = weights.iter().sum();
        let moment = |(j, weight): (usize, &f64)| {
            weight * ((width * (j as f64 - 5.0)).powi(2) + width * width / 12.0)
        };
        weights.iter().enumerate().map(moment).sum::<f64>() / total
    };
    assert!((variance(weights) - 1.0).abs() > 0.05);
    assert!((variance(sharpen(weights)) - 1.0).abs() < 0.005);
}

#[test]
fn the_predictive_excess_has_the_expected_rate() {
    let posterior = TailPosterior::new(&excesses(40), 0);
    let excess = posterior.predictive_excess(1e-4, 0.1);
    let beyond: f64 = posterior
        .rows()
        .iter()
        .flat_map(|row| row.weights.iter().enumerate().map(move |cell| (row, cell)))
        .map(|(row, (j, weight))| {
            let scale = (row.low + row.step * (j as f64 + 0.5)).exp() * posterior.unit;
            let gpd = crate::tail::gpd::Gpd::new(scale, row.shape).unwrap();
            weight * gpd.survival(excess)
        })
        .sum();
    assert!((0.1 * beyond / 1e-4 - 1.0).abs() < 1e-9, "{beyond}");
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
            let likelihood = |x: f64| tail.log_likelihood(shape, x, (-x).exp());
            let at = likelihood(ln_scale);
            assert!(at >= likelihood(ln_scale + 1e-3), "{shape}");
            // Left of the mode the support may end, where the likelihood is not a number.
            let left = likelihood(ln_scale - 1e-3);
            assert!(left.is_nan() || at >= left, "{shape}");
        }
    }
}

#[test]
fn factors_of_any_size_have_logarithms() {
    let values = [1e-300, 1e100, 1e200, 1e250, 1.0, 2.0, 3.0, 4.0, 5.0];
    let expected: f64 = values.iter().map(|z: &f64| (0.5 * z).ln_1p()).sum();
    assert!((sum_of_logs(&values, 0.5) / expected - 1.0).abs() < 1e-14);
}

//! Goodness of fit of a generalised Pareto tail: Anderson–Darling and Cramér–von Mises (Choulakian & Stephens 2001).
//!
//! Both compare the fitted distribution function at the ordered excesses with the steps of a uniform sample; the
//! first weighs the ends more. Because shape and scale are estimated from the same excesses, the critical values
//! depend on the shape. `gof_table.rs` holds them, made by simulation; a bootstrap is there for who wants one.

use std::fmt;

use crate::published::gof_table::{ANDERSON_DARLING, CRAMER_VON_MISES, LEVELS, SHAPES, SIZES};
use crate::published::gpd_fit::{GpdFit, NoFit};
use crate::tail::gpd::{Gpd, growth, hazard};

/// How far excesses are from a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitDistance {
    /// A² (Anderson & Darling 1954).
    pub anderson_darling: f64,
    /// W² (Cramér–von Mises; Stephens 1974).
    pub cramer_von_mises: f64,
}

/// How probable a distance at least so large is, if the tail is generalised Pareto.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PValues {
    /// Of A².
    pub anderson_darling: f64,
    /// Of W².
    pub cramer_von_mises: f64,
}

/// Critical values of one statistic: by size, shape and level.
type Table = [[[f64; LEVELS.len()]; SHAPES.len()]; SIZES.len()];

impl FitDistance {
    /// The distance of excesses, in any order, from `gpd`; `None` without excesses, or if one is not a number.
    ///
    /// An excess that the distribution says cannot be is infinitely far from it.
    pub fn of(excesses: &[f64], gpd: Gpd) -> Option<FitDistance> {
        if excesses.is_empty() || excesses.iter().any(|y| y.is_nan()) {
            return None;
        }
        let mut hazards: Vec<f64> = excesses
            .iter()
            .map(|y| hazard(y.max(0.0) / gpd.scale(), gpd.shape()))
            .collect();
        hazards.sort_unstable_by(f64::total_cmp);
        Some(FitDistance::of_hazards(&hazards))
    }

    /// The distance of ascending hazards, which are unit exponential if the tail is right: F(y) = 1 − e^(−H(y)).
    fn of_hazards(hazards: &[f64]) -> FitDistance {
        let n = hazards.len() as f64;
        let (mut ad, mut cvm) = (0.0, 0.0);
        for (i, (h, opposite)) in hazards.iter().zip(hazards.iter().rev()).enumerate() {
            let odd = (2 * i + 1) as f64;
            let below = -(-h).exp_m1();
            ad += odd * (below.ln() - opposite);
            cvm += (below - odd / (2.0 * n)).powi(2);
        }
        FitDistance {
            anderson_darling: -n - ad / n,
            cramer_von_mises: cvm + 1.0 / (12.0 * n),
        }
    }

    /// The p-values of a distance from the maximum likelihood fit to so many excesses, from the table.
    pub fn p_values(self, shape: f64, excesses: usize) -> PValues {
        PValues {
            anderson_darling: look_up(&ANDERSON_DARLING, self.anderson_darling, shape, excesses),
            cramer_von_mises: look_up(&CRAMER_VON_MISES, self.cramer_von_mises, shape, excesses),
        }
    }
}

/// Why there is no bootstrap p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBootstrap {
    /// There is no fit to draw from.
    NoFit(NoFit),
    /// Too few of the replicates could be fitted.
    TooFewFits {
        /// Replicates drawn.
        replicates: usize,
        /// Those with a fit.
        fitted: usize,
    },
}

impl fmt::Display for NoBootstrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBootstrap::NoFit(why) => why.fmt(f),
            NoBootstrap::TooFewFits { replicates, fitted } => write!(
                f,
                "only {fitted} of {replicates} bootstrap replicates have a maximum likelihood fit, fewer than the {FEWEST_FITS} that a p-value needs; ask for more replicates, or use the table"
            ),
        }
    }
}

/// The fewest fitted replicates that a bootstrap p-value is made from.
const FEWEST_FITS: usize = 99;

/// P-values by parametric bootstrap: samples of the fitted tail are fitted again, and their distances compared.
///
/// `uniform` gives numbers in [0, 1). Replicates without a maximum likelihood fit are left out, as the excesses have
/// one. The p-value is (1 + count)/(1 + replicates) (Davison & Hinkley 1997, eq. 4.11).
pub fn bootstrap(
    excesses: &[f64],
    replicates: usize,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<PValues, NoBootstrap> {
    let fit = GpdFit::maximum_likelihood(excesses).map_err(NoBootstrap::NoFit)?;
    let seen = FitDistance::of(excesses, fit.gpd).ok_or(NoBootstrap::NoFit(NoFit::NotPositive))?;
    let (mut fitted, mut ad, mut cvm) = (0, 0, 0);
    for _ in 0..replicates {
        let Some(drawn) = replicate(excesses.len(), fit.gpd.shape(), uniform) else {
            continue;
        };
        fitted += 1;
        ad += usize::from(drawn.anderson_darling >= seen.anderson_darling);
        cvm += usize::from(drawn.cramer_von_mises >= seen.cramer_von_mises);
    }
    if fitted < FEWEST_FITS {
        return Err(NoBootstrap::TooFewFits { replicates, fitted });
    }
    let p = |count: usize| (1 + count) as f64 / (1 + fitted) as f64;
    Ok(PValues {
        anderson_darling: p(ad),
        cramer_von_mises: p(cvm),
    })
}

/// The distance of `size` draws from a tail of this shape to their own fit, or `None` if there is no fit.
pub fn replicate(size: usize, shape: f64, uniform: &mut dyn FnMut() -> f64) -> Option<FitDistance> {
    let drawn: Vec<f64> = (0..size)
        .map(|_| {
            // Uniform numbers may be 0, whose logarithm is not finite.
            let u = uniform().clamp(f64::EPSILON, 1.0 - f64::EPSILON);
            growth(-u.ln(), shape)
        })
        .collect();
    let fit = GpdFit::maximum_likelihood(&drawn).ok()?;
    FitDistance::of(&drawn, fit.gpd)
}

/// The p-value of a statistic: linear in the shape and in 1/size between the table's curves, and linear in ln p
/// between its levels.
fn look_up(table: &Table, statistic: f64, shape: f64, size: usize) -> f64 {
    if statistic.is_nan() || shape.is_nan() {
        return f64::NAN;
    }
    let (shape, shape_weight) = bracket(&SHAPES, shape);
    let inverse = SIZES.map(|size| -1.0 / size as f64);
    let (size, size_weight) = bracket(&inverse, -1.0 / size.max(1) as f64);
    let mix = |low: f64, high: f64, weight: f64| low + weight * (high - low);
    let mut curve = [0.0; LEVELS.len()];
    for (level, critical) in curve.iter_mut().enumerate() {
        let at = |size: usize| {
            let row = &table[size];
            mix(row[shape][level], row[shape + 1][level], shape_weight)
        };
        *critical = mix(at(size), at(size + 1), size_weight);
    }
    // Both statistics have exponential tails, so the last slope of ln p goes on beyond the table.
    let above = curve
        .partition_point(|critical| *critical < statistic)
        .clamp(1, LEVELS.len() - 1);
    let weight = (statistic - curve[above - 1]) / (curve[above] - curve[above - 1]);
    let ln_p = mix(LEVELS[above - 1].ln(), LEVELS[above].ln(), weight);
    ln_p.exp().clamp(0.0, 1.0)
}

/// Where `x` lies in an ascending grid: the index of the point before it, and the way to the next; clamped.
fn bracket(grid: &[f64], x: f64) -> (usize, f64) {
    let index = grid
        .partition_point(|point| *point <= x)
        .clamp(1, grid.len() - 1);
    let (low, high) = (grid[index - 1], grid[index]);
    (index - 1, ((x - low) / (high - low)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests;

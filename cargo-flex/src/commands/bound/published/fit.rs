//! A fit of the published method's tail over one threshold.

use std::fmt;

use flex_core::published::{ThresholdFit, fit_at};
use flex_core::sample::Samples;
use flex_core::tail::Side;
use flex_core::words::{percent, short};
use serde::Serialize;

use super::{p_values_by, uniform_numbers};

/// A fit over one threshold.
#[derive(Debug, Serialize)]
pub struct Fit {
    threshold: f64,
    exceedances: usize,
    scale: f64,
    shape: f64,
    log_likelihood: f64,
    ad: f64,
    ad_p: f64,
    cvm: f64,
    cvm_p: f64,
}

/// Why there is no such fit.
#[derive(Debug, Serialize)]
pub struct NoFit {
    pub reason: String,
}

impl Fit {
    /// The fit at exactly so many exceedances.
    pub fn at(
        samples: &Samples,
        side: Side,
        exceedances: usize,
        bootstrap: Option<usize>,
    ) -> Result<Fit, NoFit> {
        let mut uniform = uniform_numbers();
        let by = p_values_by(bootstrap, &mut uniform);
        match fit_at(samples, side, exceedances, by) {
            Ok(fit) => Ok(Fit::new(&fit, fit.threshold)),
            Err(why) => Err(NoFit {
                reason: why.to_string(),
            }),
        }
    }

    /// The threshold is in the units of the samples; after a Box–Cox transform, scale and shape are not.
    pub fn new(fit: &ThresholdFit, threshold: f64) -> Self {
        Fit {
            threshold,
            exceedances: fit.exceedances,
            scale: fit.fit.gpd.scale(),
            shape: fit.fit.gpd.shape(),
            log_likelihood: fit.fit.log_likelihood,
            ad: fit.distance.anderson_darling,
            ad_p: fit.p_values.anderson_darling,
            cvm: fit.distance.cramer_von_mises,
            cvm_p: fit.p_values.cramer_von_mises,
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} exceedances of {}\n",
            self.exceedances,
            short(self.threshold)
        )?;
        writeln!(f, "  scale             {}", short(self.scale))?;
        writeln!(f, "  shape             {}", short(self.shape))?;
        writeln!(f, "  log-likelihood    {}", short(self.log_likelihood))?;
        let (ad, cvm) = (percent(self.ad_p), percent(self.cvm_p));
        writeln!(f, "  Anderson–Darling  {:.6}, p = {ad}", self.ad)?;
        writeln!(f, "  Cramér–von Mises  {:.6}, p = {cvm}", self.cvm)
    }
}

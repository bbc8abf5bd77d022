//! What all processes of a calibration showed, put together by run index.

use flex_bounds::claim::Family;
use flex_core::calibration::{
    Calibrated, Calibration, CalibrationPlan, SiteSpec, Step, SuiteShares,
};
use flex_core::sample::Extremes;

use super::observed::Observed;
use super::pooled::PoolSource;
use super::process::Recorded;
use super::settings::CalibrationError;
use crate::model::{ClaimSpec, ProcessRecord, Site, SiteId, SiteKey, Test};

/// Everything known about a test so far.
#[derive(Debug)]
pub(super) struct Collector {
    /// How runs ended, and what declared sites saw.
    pub observed: Observed,
    pub plan: CalibrationPlan,
    calibration: Calibration,
    pub ran_out_of_time: bool,
    /// How many processes would have made the first runs on one machine, if they were made elsewhere.
    pub as_if_by: Option<u32>,
    /// Runs that were not made, since they could only have shown what others did.
    pub saved: u32,
    /// Why values of earlier runs were left out, if anybody asked for them.
    pub left_out: Option<Vec<String>>,
}

impl Collector {
    pub fn new(plan: CalibrationPlan, suite: Option<SuiteShares>, test: Test) -> Self {
        Collector {
            observed: Observed::new(test),
            plan,
            calibration: match suite {
                Some(shares) => Calibration::in_suite(plan, shares),
                None => Calibration::new(plan),
            },
            ran_out_of_time: false,
            as_if_by: None,
            saved: 0,
            left_out: None,
        }
    }

    /// Takes what a part of the runs showed.
    pub fn take(&mut self, recorded: &Recorded) -> Result<(), CalibrationError> {
        for record in &recorded.records {
            self.take_record(record)?;
        }
        for (run, _) in &recorded.deaths {
            self.push(*run, true, &[])?;
        }
        self.observed.take_deaths(recorded);
        Ok(())
    }

    /// Takes what the runs of one process showed.
    pub fn take_record(&mut self, record: &ProcessRecord) -> Result<(), CalibrationError> {
        self.observed.take_record(record)?;
        let sites = self.observed.sites.entries().iter();
        let claims = sites.filter_map(|(_, site)| site.claim().filter(|_| !site.is_learned()));
        self.calibration
            .set_claims(claims.map(|claim| claim.confidence).collect());
        let mut learned: Vec<(&SiteId, SiteSpec, Extremes)> = Vec::new();
        for (run, hits) in record.runs() {
            learned.clear();
            for hit in hits {
                let site = record.site(hit);
                if let Some(spec) = site.learns() {
                    learned.push((&site.id, spec, hit.extremes));
                }
            }
            // A test with further attempts is never judged by a run that fails, in whichever way.
            let failed = match self.plan.only_passed {
                true => record.failed(run, hits),
                false => run.failure.is_some(),
            };
            self.push(run.index, failed, &learned)?;
        }
        for (run, _) in &record.inconclusive {
            // Like a run that failed before it reached anything, it is no sample of any site, and missed none.
            self.push(*run, true, &[])?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        run: u32,
        failed: bool,
        hits: &[(&SiteId, SiteSpec, Extremes)],
    ) -> Result<(), CalibrationError> {
        self.calibration
            .push_folded(run, failed, hits)
            .map_err(|error| CalibrationError::Test(vec![error.to_string()]))
    }

    /// The machine of the learned sites.
    #[inline]
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// What to do next.
    pub fn step(&mut self) -> Result<Step, CalibrationError> {
        self.calibration
            .step()
            .map_err(|error| CalibrationError::Test(vec![error.to_string()]))
    }

    /// Values of these sites do not depend on the seed alone; all steps from now on take that into account.
    pub fn set_uncontrolled(&mut self, sites: &[SiteKey]) {
        let learned = sites.iter().filter(|key| !key.is_declared);
        self.calibration
            .set_uncontrolled(learned.map(|key| key.id.clone()));
    }

    /// Ceilings rest on values of earlier runs too from now on, as far as fresh ones agree with them. Asked again, nothing
    /// changes.
    pub fn pool(&mut self, source: &PoolSource) {
        if self.left_out.is_some() {
            return;
        }
        let mut pooled = source.of(&self.observed.test);
        for (site, values) in std::mem::take(&mut pooled.sites) {
            let fresh = self.calibration.samples().find(|(id, _)| **id == site);
            if let Some((_, fresh)) = fresh
                && pooled.agrees(&site, &values, fresh)
            {
                self.calibration.set_earlier(site, values);
            }
        }
        self.left_out = Some(pooled.left_out);
    }

    /// The runs that are missing.
    pub fn wanted(&self) -> Vec<u32> {
        self.calibration.wanted().collect()
    }

    /// No more runs will come.
    pub fn out_of_time(&mut self) {
        self.ran_out_of_time = true;
        self.calibration.out_of_time();
    }

    /// What every site saw, declared ones too, by key.
    pub fn samples(&self) -> impl Iterator<Item = (SiteKey, &[(u32, Extremes)])> {
        let mut samples = Vec::new();
        for (id, hits) in self.calibration.samples() {
            let key = SiteKey {
                id: id.clone(),
                is_declared: false,
            };
            samples.push((key, hits));
        }
        for (key, log) in self.observed.declared.entries() {
            samples.push((key.clone(), log.hits.as_slice()));
        }
        samples.into_iter()
    }

    /// The runs that a process made up to this one, which is the last.
    pub fn until(&self, run: u32) -> Vec<u32> {
        let up_to = |process: &Vec<u32>| {
            let place = process.iter().position(|other| *other == run)?;
            Some(process[..=place].to_vec())
        };
        self.observed
            .processes
            .iter()
            .find_map(up_to)
            .unwrap_or_else(|| vec![run])
    }

    /// Whether no value has varied.
    pub fn is_constant(&self, calibrated: &Calibrated) -> bool {
        let constant = |hits: &[(u32, Extremes)]| {
            let same = |a: &(u32, Extremes), b: &(u32, Extremes)| same_value(a.1, b.1);
            hits.windows(2).all(|pair| same(&pair[0], &pair[1]))
                && hits.len() == calibrated.runs as usize
        };
        // A rate may be 1, and a place in a law is not kept.
        let is_open = |site: &Site| {
            let family = site.claim().map(ClaimSpec::family);
            !matches!(family, None | Some(Family::Mean | Family::NoWorse))
        };
        let mut sites = self.observed.sites.entries().iter();
        if sites.any(|(_, site)| is_open(site)) {
            return false;
        }
        let failures = self.observed.failures.entries().len();
        (failures == 0 || failures == calibrated.runs as usize)
            && self.samples().all(|(_, hits)| constant(hits))
    }
}

/// Whether two runs saw the same; a NaN is like any other.
pub(super) fn same_value(a: Extremes, b: Extremes) -> bool {
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    same(a.least, b.least) && same(a.greatest, b.greatest)
}

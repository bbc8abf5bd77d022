//! The calibration machine of the engine, for Python code that makes runs of its own.

use std::collections::BTreeMap;

use flex_core::bound::SideBound;
use flex_core::bound::confidence::Confidence;
use flex_core::calibration::{Calibration, CalibrationPlan, Run, SiteId, SiteSpec, Step};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::bound::LearnedBound;

/// Collects runs until a bound is learned for every site.
#[pyclass]
#[derive(Debug)]
pub struct Learner {
    calibration: Calibration,
    specs: BTreeMap<String, SiteSpec>,
}

#[pymethods]
impl Learner {
    /// A calibration of these sites, each with its tail: `{"error": "upper", "recall": "lower"}`.
    #[new]
    #[pyo3(signature = (sites, *, confidence=0.9999, min_runs=100, max_runs=3000, tight=false))]
    fn new(
        sites: BTreeMap<String, String>,
        confidence: f64,
        min_runs: u32,
        max_runs: u32,
        tight: bool,
    ) -> PyResult<Self> {
        let spec = |(site, tail): (String, String)| {
            let tail = tail.parse().map_err(PyValueError::new_err)?;
            Ok((site, SiteSpec::new(tail)))
        };
        let plan = CalibrationPlan {
            confidence: Confidence::new(confidence).map_err(PyValueError::new_err)?,
            min_runs,
            max_runs: max_runs.max(min_runs),
            tight,
            ..CalibrationPlan::default()
        };
        Ok(Learner {
            calibration: Calibration::new(plan),
            specs: sites.into_iter().map(spec).collect::<PyResult<_>>()?,
        })
    }

    /// Takes what run `index` showed: a value for every site that it reached.
    fn push(&mut self, index: u32, values: BTreeMap<String, f64>) -> PyResult<()> {
        let hit = |(site, value): (String, f64)| {
            let spec = self.specs.get(&site).copied();
            let spec = spec.ok_or_else(|| {
                PyValueError::new_err(format!("`{site}` is not one of the sites"))
            })?;
            Ok((SiteId::new(site), spec, value))
        };
        let run = Run {
            index,
            panicked: false,
            hits: values.into_iter().map(hit).collect::<PyResult<_>>()?,
        };
        self.calibration.push(&run).map_err(wrong)
    }

    /// The runs that are wanted next; none if there are enough.
    fn wanted(&mut self) -> PyResult<Vec<u32>> {
        Ok(match self.calibration.step().map_err(wrong)? {
            Step::Collect(_) => self.calibration.wanted().collect(),
            Step::Done(_) => Vec::new(),
        })
    }

    /// What was learned, by site; makes do with what there is.
    fn bounds(&mut self) -> PyResult<BTreeMap<String, LearnedBound>> {
        let mut calibration = self.calibration.clone();
        calibration.out_of_time();
        Ok(match calibration.step().map_err(wrong)? {
            Step::Collect(_) => BTreeMap::new(),
            Step::Done(done) => done
                .sites
                .iter()
                .map(|site| {
                    let sides = || site.bound.sides.iter().zip(&site.power);
                    let power = |of: &SideBound| {
                        let found = sides().find(|(side, _)| side.side == of.side);
                        found.and_then(|(_, power)| *power)
                    };
                    (site.id.text.clone(), LearnedBound::of(&site.bound, power))
                })
                .collect(),
        })
    }
}

fn wrong(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

//! Sites that a calibration saw and that have no entry: declared bounds, and claims about all runs.

use flex_bounds::TestId;
use flex_bounds::file::Key;
use flex_core::bound::declared::clopper_pearson;
use flex_core::calibration::SiteId;
use flex_core::words::{count, percent, plain};
use flex_run::project::date::day_at;

use super::known::Known;
use super::learned::blank;
use super::side::{extremes, series_of, side_of};
use crate::kept::{CalibratedSite, Calibration};
use crate::model::{Probability, Side, Site};

/// Adds the sites of the last calibration that are not learned.
pub fn sites(known: &Known<'_>, sites: &mut Vec<Site>) {
    let Some(calibration) = known.calibration() else {
        return;
    };
    for seen in &calibration.sites {
        match seen.kind.as_str() {
            "declared" => sites.push(declared(seen, calibration)),
            "claim" => sites.push(Site {
                kind: "claim",
                verdict: "not decided yet",
                ..of_calibration(seen, calibration)
            }),
            _ => {}
        }
    }
}

/// What a calibration saw of a site.
fn of_calibration(seen: &CalibratedSite, calibration: &Calibration) -> Site {
    let reached = |values: &[Option<flex_detect::record::Float>]| values.iter().flatten().count();
    let key = Key {
        test: TestId::pytest(""),
        site: SiteId::of_label(&seen.site).with_case(seen.case.clone()),
        variant: None,
    };
    Site {
        file: seen.file.clone(),
        line: seen.line,
        text: seen.text.clone(),
        runs: seen
            .series
            .first()
            .map_or(0, |series| reached(&series.values)) as u32,
        calibrated: Some(day_at(calibration.about.at)),
        unit: seen.time.then_some("seconds"),
        series: series_of(seen),
        extremes: extremes(seen),
        failed_runs: seen.broken.clone(),
        ..blank(&key)
    }
}

fn declared(seen: &CalibratedSite, calibration: &Calibration) -> Site {
    let site = of_calibration(seen, calibration);
    let (broken, runs) = (seen.broken.len(), site.runs as usize);
    let (low, high) = clopper_pearson(broken, runs, 0.95);
    let (verdict, grade) = match broken {
        0 => ("steady", "good"),
        broken if broken >= runs => ("broken", "bad"),
        _ => ("flaky", "bad"),
    };
    let bounds: Vec<String> = seen
        .bounds
        .iter()
        .map(|bound| format!("{} {}", bound.words, plain(bound.bound.0)))
        .collect();
    let said = format!(
        "The source asks for values {}. {broken} of {} broke that; the true rate is between {} and {} (95%).",
        bounds.join(" and "),
        count(runs, "run", "runs"),
        percent(low),
        percent(high)
    );
    Site {
        kind: "declared",
        verdict,
        grade,
        words: vec![said],
        failure: Some(Probability {
            basis: "counted",
            estimate: Some(broken as f64 / runs.max(1) as f64),
            low,
            high,
        }),
        sides: seen
            .bounds
            .iter()
            .map(|bound| declared_side(&bound.side, bound.bound.0))
            .collect(),
        ..site
    }
}

/// A side whose bound is written out.
pub fn declared_side(side: &str, bound: f64) -> Side {
    Side {
        side: side_of(side).as_str(),
        strategy: None,
        guard: None,
        ceiling: None,
        declared: Some(flex_detect::record::Float(bound)),
        bound: None,
        mean: None,
        cuts: Vec::new(),
        fit: None,
        band: Vec::new(),
        reason: None,
    }
}

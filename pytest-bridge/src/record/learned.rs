//! Learned sites in the record of a test, for whoever compares what they see: values without a bound.

use flex_core::tail::{Side, Tail};
use flex_detect::compare::LEARNED;
use flex_detect::record::{ObservedSite, ObservedTest, Role, Series};
use flex_run::model::{Place, SiteId};

use super::live::LiveSeries;

/// The series of a learned site, by site and index, with the value of each; the site is added if it is new.
pub fn series(
    test: &mut ObservedTest,
    (id, place, text): (SiteId, Place, String),
    tail: Tail,
    (least, greatest): (f64, f64),
) -> Vec<((usize, usize, Side), f64)> {
    let is_it = |site: &ObservedSite| site.id == id && site.form == LEARNED;
    let known = test.sites.iter().position(is_it);
    let site = known.unwrap_or_else(|| {
        let one = |side: &Side| Series {
            bound: None,
            ..Series::new(role_of(*side), 0.0)
        };
        test.sites.push(ObservedSite {
            id,
            place,
            span: None,
            text,
            form: LEARNED.to_owned(),
            within: None,
            is_hard: false,
            failed: Vec::new(),
            series: tail.sides().iter().map(one).collect(),
        });
        test.sites.len() - 1
    });
    let value = |(index, side): (usize, &Side)| match side {
        Side::Upper => ((site, index, *side), greatest),
        Side::Lower => ((site, index, *side), least),
    };
    tail.sides().iter().enumerate().map(value).collect()
}

/// Takes a value of the run under way; the one nearest to failing counts.
pub fn see(live: &mut Vec<LiveSeries>, (site, index, side): (usize, usize, Side), value: f64) {
    let is_it = |live: &LiveSeries| (live.site, live.index) == (site, index);
    let place = live.iter().position(is_it).unwrap_or_else(|| {
        live.push(LiveSeries {
            site,
            index,
            value: None,
            is_alternative: false,
            was_bounded: false,
        });
        live.len() - 1
    });
    let held = &mut live[place].value;
    let is_nearer = |known: f64| match side {
        Side::Upper => value > known,
        Side::Lower => value < known,
    };
    if held.is_none_or(|known| value.is_nan() || is_nearer(known)) {
        *held = Some(value);
    }
}

fn role_of(side: Side) -> Role {
    match side {
        Side::Upper => Role::Upper,
        Side::Lower => Role::Lower,
    }
}

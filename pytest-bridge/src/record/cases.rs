//! Cases of a test: its subtests, each with sites of its own, known by what describes them.

use std::collections::BTreeMap;

use flex_detect::record::{ObservedSite, ObservedTest, Role, Series};
use flex_run::model::MOST_CASES;

/// The cases that runs of a test came to.
#[derive(Debug, Default)]
pub struct Cases {
    entered: BTreeMap<String, Entered>,
}

#[derive(Debug)]
struct Entered {
    /// The last run that did.
    last: u32,
    runs: u32,
}

impl Cases {
    /// Takes note that a run comes to a case. Returns whether it has sites of its own, as those that come first have.
    pub fn enter(&mut self, case: &str, run: u32) -> bool {
        if let Some(known) = self.entered.get_mut(case) {
            if known.last != run {
                known.last = run;
                known.runs += 1;
            }
            return true;
        }
        let has_room = self.entered.len() < MOST_CASES;
        if has_room {
            let entered = Entered { last: run, runs: 1 };
            self.entered.insert(case.to_owned(), entered);
        }
        has_room
    }

    pub fn is_empty(&self) -> bool {
        self.entered.is_empty()
    }

    /// Makes one site of an assertion's cases that a single run had: what describes them is drawn anew by each run, so
    /// that none is a case that would come again.
    pub fn fold_lone(&self, test: &mut ObservedTest) {
        let is_lone = |case: &String| self.entered.get(case).is_some_and(|case| case.runs == 1);
        if test.runs.len() < 2 || !self.entered.keys().any(is_lone) {
            return;
        }
        let mut folded: Vec<ObservedSite> = Vec::new();
        let mut places = Vec::new();
        for mut site in std::mem::take(&mut test.sites) {
            let own = site.id.clone();
            if site.id.case.as_ref().is_some_and(is_lone) {
                site.id.case = None;
            }
            let same = folded.iter().position(|other| {
                (&other.id, &other.form) == (&site.id, &site.form) && compare_alike(other, &site)
            });
            match same {
                Some(place) => {
                    absorb(&mut folded[place], site);
                    places.push(place);
                }
                None => {
                    // One that compares otherwise than a site of this id stays what it was.
                    if folded.iter().any(|other| other.id == site.id) {
                        site.id = own;
                    }
                    folded.push(site);
                    places.push(folded.len() - 1);
                }
            }
        }
        test.sites = folded;
        for run in &mut test.runs {
            run.failed_site = run.failed_site.map(|site| places[site]);
        }
        for repeat in &mut test.repeats {
            for (site, series, value) in std::mem::take(&mut repeat.values) {
                let value = (places[site], series, value);
                see_again(&mut repeat.values, value, &test.sites);
            }
        }
    }
}

/// Adds a value of a repeated run; of several of one series the one nearest to failing counts.
pub fn see_again(
    values: &mut Vec<(usize, usize, f64)>,
    (site, series, value): (usize, usize, f64),
    sites: &[ObservedSite],
) {
    let mut known = values.iter_mut();
    match known.find(|(at, of, _)| (*at, *of) == (site, series)) {
        Some((_, _, held)) => *held = nearer(sites[site].series[series].role, *held, value),
        None => values.push((site, series, value)),
    }
}

/// Of two values, the one nearer to failing; what is no number is nearest.
fn nearer(role: Role, one: f64, other: f64) -> f64 {
    match role {
        _ if one.is_nan() || other.is_nan() => f64::NAN,
        Role::Lower => one.min(other),
        _ => one.max(other),
    }
}

/// Whether two sites compare the same things, as far as both came to that.
fn compare_alike(one: &ObservedSite, other: &ObservedSite) -> bool {
    let mut pairs = one.series.iter().zip(&other.series);
    pairs.all(|(one, other)| one.role == other.role)
}

fn absorb(into: &mut ObservedSite, site: ObservedSite) {
    into.failed.extend(site.failed);
    into.failed.sort_unstable();
    into.failed.dedup();
    for (index, mut series) in site.series.into_iter().enumerate() {
        let Some(known) = into.series.get_mut(index) else {
            into.series.push(series);
            continue;
        };
        if (known.bound, known.is_margin) != (series.bound, series.is_margin) {
            become_margin(known);
            become_margin(&mut series);
        }
        for (run, value) in series.values {
            match known.values.binary_search_by_key(&run, |(run, _)| *run) {
                Ok(at) => known.values[at].1 = nearer(known.role, known.values[at].1, value),
                Err(at) => known.values.insert(at, (run, value)),
            }
        }
    }
}

/// Makes the values of a series distances from its bound, which is another one at times.
pub fn become_margin(series: &mut Series) {
    let bound = series.bound.unwrap_or_default();
    for (_, value) in &mut series.values {
        *value -= bound;
    }
    series.is_margin = true;
    series.bound = Some(0.0);
    series.knob = None;
}

#[cfg(test)]
mod tests {
    use flex_detect::record::{ObservedRun, Outcome, Repeat, RepeatPlace};
    use flex_run::model::{Place, SiteId, TestId};

    use super::*;

    const TEXT: &str = "assert x < 1";

    fn site(case: Option<&str>, bound: f64, values: &[(u32, f64)], failed: &[u32]) -> ObservedSite {
        ObservedSite {
            id: SiteId::new(TEXT).with_case(case.map(str::to_owned)),
            place: Place::new("test_a.py", 1),
            span: None,
            text: TEXT.to_owned(),
            form: "assert".to_owned(),
            within: None,
            is_hard: true,
            failed: failed.to_vec(),
            series: vec![Series {
                values: values.to_vec(),
                ..Series::new(Role::Upper, bound)
            }],
        }
    }

    fn test(sites: Vec<ObservedSite>, failed_sites: &[Option<usize>]) -> ObservedTest {
        let mut test = ObservedTest::new(TestId::pytest("test_a.py::test"), Place::new("a.py", 1));
        test.sites = sites;
        let runs = failed_sites.iter().zip(0..);
        test.runs = runs
            .map(|(failed_site, index)| ObservedRun {
                index,
                outcome: failed_site.map_or(Outcome::Pass, |_| Outcome::Fail),
                why: None,
                failed_site: *failed_site,
            })
            .collect();
        test
    }

    fn entered(cases: &[(&str, u32)]) -> Cases {
        let mut entered = Cases::default();
        for (case, run) in cases {
            assert!(entered.enter(case, *run));
        }
        entered
    }

    #[test]
    fn a_test_has_a_hundred_cases_at_most() {
        let mut cases = Cases::default();
        assert!(cases.is_empty());
        for run in 0..2 {
            for case in 0..150 {
                assert_eq!(cases.enter(&format!("i={case}"), run), case < 100);
            }
        }
    }

    #[test]
    fn cases_that_no_other_run_has_are_one_site() {
        let cases = entered(&[("a", 0), ("x=0.1", 0), ("x=0.2", 0), ("a", 1), ("x=0.3", 1)]);
        let sites = vec![
            site(Some("a"), 1.0, &[(0, 0.5), (1, 0.6)], &[]),
            site(Some("x=0.1"), 1.0, &[(0, 0.1)], &[]),
            site(Some("x=0.2"), 1.0, &[(0, 0.2)], &[]),
            site(Some("x=0.3"), 1.0, &[(1, 1.3)], &[1]),
        ];
        let mut test = test(sites, &[None, Some(3)]);
        test.repeats.push(Repeat {
            index: 0,
            place: RepeatPlace::SameProcess,
            outcome: Outcome::Pass,
            values: vec![(0, 0, 0.5), (1, 0, 0.1), (2, 0, 0.2)],
        });
        cases.fold_lone(&mut test);
        let wanted = [
            site(Some("a"), 1.0, &[(0, 0.5), (1, 0.6)], &[]),
            site(None, 1.0, &[(0, 0.2), (1, 1.3)], &[1]),
        ];
        assert_eq!(test.sites, wanted);
        assert_eq!(test.runs[1].failed_site, Some(1));
        assert_eq!(test.repeats[0].values, [(0, 0, 0.5), (1, 0, 0.2)]);
    }

    #[test]
    fn lone_cases_with_bounds_of_their_own_are_measured_by_their_distance() {
        let cases = entered(&[("x=1", 0), ("x=2", 1)]);
        let sites = vec![
            site(Some("x=1"), 1.0, &[(0, 0.5)], &[]),
            site(Some("x=2"), 2.0, &[(1, 1.0)], &[]),
        ];
        let mut test = test(sites, &[None, None]);
        cases.fold_lone(&mut test);
        let series = &test.sites[0].series[0];
        assert_eq!(test.sites.len(), 1);
        assert_eq!(
            (series.is_margin, &series.values[..]),
            (true, &[(0, -0.5), (1, -1.0)][..])
        );
    }

    #[test]
    fn the_only_run_of_a_test_keeps_its_cases() {
        let cases = entered(&[("a", 0)]);
        let mut test = test(vec![site(Some("a"), 1.0, &[(0, 0.5)], &[])], &[None]);
        cases.fold_lone(&mut test);
        assert_eq!(test.sites[0].id.case.as_deref(), Some("a"));
    }
}

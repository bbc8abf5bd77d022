//! A test that is not run but drawn: what it shows goes through the real search and into a real record.

use std::path::PathBuf;

use flex_core::search::convergence::Limits;
use flex_detect::record::{
    ObservedRun, ObservedSite, ObservedTest, Outcome, Reader, Record, Repeat, RepeatPlace, Role,
    Series, VERSION,
};
use flex_detect::search::{Search, SearchRule, SearchStep, SearchedRun};
use flex_run::model::{Place, Runner, SiteId, TestId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What one run shows: the values of the assertions in their order, and whether it panics at its end.
pub type Show<'a> = Box<dyn Fn(&mut ChaCha8Rng) -> (Vec<f64>, bool) + Send + Sync + 'a>;

/// A test whose assertions are hard and have a bound each.
pub struct Simulated<'a> {
    pub bounds: Vec<(Role, f64)>,
    /// Whether the first run has seeds of its own, under which the test passes and shows its bounds.
    pub first_as_written: bool,
    pub show: Show<'a>,
}

/// A run that was made.
struct Ran {
    outcome: Outcome,
    failed_site: Option<usize>,
    /// The values of the assertions that it reached.
    values: Vec<f64>,
}

impl Simulated<'_> {
    /// Searches the test; `seed` decides all its runs.
    pub fn search(&self, rule: SearchRule, seed: u64) -> ObservedTest {
        let mut search = Search::new(rule);
        let mut test = self.unseen();
        while let SearchStep::Collect(wanted) = search.step() {
            for index in wanted {
                let ran = self.run(seed, index);
                let taken = search.push(SearchedRun {
                    index,
                    as_written: self.first_as_written && index == 0,
                    outcome: ran.outcome,
                    hits: self.hits(&ran),
                });
                taken.expect("bounds stay the same, and runs are new");
                note(&mut test, index, &ran);
            }
        }
        let places = [
            RepeatPlace::SameProcess,
            RepeatPlace::OtherProcess,
            RepeatPlace::OtherHashes,
        ];
        for (index, place) in (1..).zip(places) {
            let ran = self.run(seed, index);
            let values = ran.values.iter().enumerate();
            test.repeats.push(Repeat {
                index,
                place,
                outcome: ran.outcome,
                values: values.map(|(site, value)| (site, 0, *value)).collect(),
            });
        }
        test
    }

    fn run(&self, seed: u64, index: u32) -> Ran {
        let (shown, panics) = match self.first_as_written && index == 0 {
            true => (self.bounds.iter().map(|(_, bound)| *bound).collect(), false),
            false => {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(u64::from(index));
                (self.show)(&mut rng)
            }
        };
        let pairs = || self.bounds.iter().zip(&shown);
        let failed_site = pairs().position(|((role, bound), value)| match role {
            Role::Lower => value < bound,
            _ => value > bound,
        });
        let reached = failed_site.map_or(shown.len(), |site| site + 1);
        let failed = panics || failed_site.is_some();
        Ran {
            outcome: if failed { Outcome::Fail } else { Outcome::Pass },
            failed_site,
            values: shown[..reached].to_vec(),
        }
    }

    fn hits(&self, ran: &Ran) -> Vec<(SiteId, Limits, f64)> {
        let sites = self.bounds.iter().zip(&ran.values).enumerate();
        let hit = |(site, ((role, bound), value)): (usize, (&(Role, f64), &f64))| {
            let (lower, upper) = match role {
                Role::Lower => (Some(*bound), None),
                _ => (None, Some(*bound)),
            };
            (
                SiteId::new(site.to_string()),
                Limits { lower, upper },
                *value,
            )
        };
        sites.map(hit).collect()
    }

    fn unseen(&self) -> ObservedTest {
        let site = |(index, (role, bound)): (usize, &(Role, f64))| ObservedSite {
            id: SiteId::new(index.to_string()),
            place: Place::new("", 1),
            span: None,
            text: String::new(),
            form: "assert".to_owned(),
            within: None,
            is_hard: true,
            failed: Vec::new(),
            series: vec![Series::new(*role, *bound)],
        };
        ObservedTest {
            first_as_written: self.first_as_written,
            sites: self.bounds.iter().enumerate().map(site).collect(),
            ..ObservedTest::new(TestId::pytest(""), Place::new("", 1))
        }
    }
}

fn note(test: &mut ObservedTest, index: u32, ran: &Ran) {
    test.runs.push(ObservedRun {
        index,
        outcome: ran.outcome,
        why: None,
        failed_site: ran.failed_site,
    });
    for (site, value) in test.sites.iter_mut().zip(&ran.values) {
        site.series[0].values.push((index, *value));
    }
    if let Some(site) = ran.failed_site {
        test.sites[site].failed.push(index);
    }
}

/// The record of one search.
pub fn record(tests: Vec<ObservedTest>) -> Record {
    Record {
        version: VERSION,
        runner: Runner::Pytest,
        base: "simulated".to_owned(),
        root: PathBuf::new(),
        rerun_marker: None,
        tests,
        reader: Reader::default(),
    }
}

//! Runs that were made again under the same seed, as the record has them.

use std::collections::HashMap;

use flex_detect::record::{ObservedTest, Repeat, RepeatPlace};
use flex_run::model::SiteId;

use super::cases::see_again;

/// Takes runs of a test that were made again. A site is known by its id, which holds in every process.
pub fn take_repeats(test: &mut ObservedTest, again: &ObservedTest, place: RepeatPlace) {
    let known: HashMap<&SiteId, usize> = test
        .sites
        .iter()
        .enumerate()
        .map(|(index, site)| (&site.id, index))
        .collect();
    let mut repeats: Vec<Repeat> = again
        .runs
        .iter()
        .map(|run| Repeat {
            index: run.index,
            place,
            outcome: run.outcome,
            values: Vec::new(),
        })
        .collect();
    for site in &again.sites {
        // What the record knows of cases that a single run had is folded to one site.
        let folded = || known.get(&site.id.clone().with_case(None));
        let Some(&index) = known.get(&site.id).or_else(folded) else {
            continue;
        };
        let before = &test.sites[index].series;
        for (number, (series, old)) in site.series.iter().zip(before).enumerate() {
            for &(run, value) in &series.values {
                // With few runs it was not seen that the bound is another one each time.
                let value = match old.is_margin && !series.is_margin {
                    true => value - series.bound.unwrap_or_default(),
                    false => value,
                };
                let same = repeats.iter_mut().filter(|repeat| repeat.index == run);
                same.for_each(|repeat| {
                    see_again(&mut repeat.values, (index, number, value), &test.sites);
                });
            }
        }
    }
    test.repeats.append(&mut repeats);
}

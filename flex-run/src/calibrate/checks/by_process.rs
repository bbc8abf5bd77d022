//! Whether the values of a site depend on the process that made them: a question of statistics.

use flex_core::drift::groups::kruskal_wallis;
use flex_core::tail::Tail;

use super::run_values::RunValues;
use crate::calibrate::collector::Collector;
use crate::calibrate::settings::PROCESSES;
use crate::model::{SiteKey, value_on};

/// A difference between processes is no chance below this probability.
const LEVEL: f64 = 1e-6;

/// With fewer values, not even processes that have nothing in common reach the level.
pub(super) const FEWEST_VALUES: usize = 40;

/// Whether the values of a site differ between processes, or between the first run of a process and the others, more
/// than by chance; or whether there are too few processes to tell.
pub(super) fn depends_on_process(
    collector: &Collector,
    key: &SiteKey,
    others: &[RunValues],
) -> Option<String> {
    let (_, hits) = collector.samples().find(|(other, _)| other == key)?;
    let processes = collector.observed.processes.len() + others.len();
    let learns = collector.observed.sites.get(key)?.learns();
    let sides = learns.map_or(Tail::Both, |spec| spec.tail).sides();
    if hits.len() < FEWEST_VALUES || processes < PROCESSES as usize {
        let (values, processes) = (hits.len(), collector.observed.processes.len());
        return Some(format!(
            "randomness is not controlled, and {values} values from {processes} processes are too few to see whether runs share state; at least {FEWEST_VALUES} are needed"
        ));
    }
    sides.iter().find_map(|side| {
        let value = |run: &u32| {
            let place = hits.binary_search_by(|(hit, _)| hit.cmp(run)).ok()?;
            Some(value_on(*side, hits[place].1))
        };
        let mut processes: Vec<Vec<f64>> = Vec::new();
        for runs in &collector.observed.processes {
            processes.push(runs.iter().filter_map(value).collect());
        }
        for seen in others {
            processes.push(seen.of_site(key, *side));
        }
        differ_by_process(&processes)
    })
}

/// Values by process, in the order of its runs.
fn differ_by_process(processes: &[Vec<f64>]) -> Option<String> {
    let between: Vec<&[f64]> = processes.iter().map(Vec::as_slice).collect();
    let p = kruskal_wallis(&between);
    if p < LEVEL {
        return Some(format!(
            "shared state: values differ between processes more than by chance (p = {p:.1e})"
        ));
    }
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for values in &between {
        if let [value, rest @ ..] = values {
            first.push(*value);
            others.extend_from_slice(rest);
        }
    }
    let p = all_beyond(&first, &others);
    (p < LEVEL).then(|| {
        format!(
            "shared state: the first run of a process differs from the others more than by chance (p = {p:.1e})"
        )
    })
}

/// The probability that so many values of one distribution all lie above the others, or all below, as these do; 1 if
/// they do not. With five values, a test by ranks could not tell more.
fn all_beyond(few: &[f64], others: &[f64]) -> f64 {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least(few) <= greatest(others) && greatest(few) >= least(others) {
        return 1.0;
    }
    // One in as many as there are ways to choose them, on either side.
    let ways = (1..=few.len()).fold(1.0, |ways, i| ways * (others.len() + i) as f64 / i as f64);
    2.0 / ways
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of five processes that look random and are not: a low-discrepancy sequence.
    fn processes(change: impl Fn(usize, usize, f64) -> f64) -> Vec<Vec<f64>> {
        (0..5)
            .map(|process| {
                (0..20)
                    .map(|run| {
                        let value = (0.618_033_988_7 * (20 * process + run) as f64).fract();
                        change(process, run, value)
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn independent_values_do_not_depend_on_the_process() {
        assert_eq!(differ_by_process(&processes(|_, _, x| x)), None);
    }

    #[test]
    fn a_draw_per_process_is_seen() {
        let drawn = processes(|process, _, x| x + 0.7 * process as f64);
        assert!(
            differ_by_process(&drawn).is_some_and(|reason| reason.contains("between processes"))
        );
    }

    #[test]
    fn the_fewest_values_are_enough_for_a_draw_per_process() {
        let drawn: Vec<Vec<f64>> = processes(|process, _, x| x + 10.0 * process as f64)
            .into_iter()
            .map(|values| values[..FEWEST_VALUES / 5].to_vec())
            .collect();
        assert!(differ_by_process(&drawn).is_some());
    }

    #[test]
    fn a_first_run_that_warms_up_is_seen() {
        let warm = processes(|_, run, x| if run == 0 { x + 100.0 } else { x });
        assert!(differ_by_process(&warm).is_some_and(|reason| reason.contains("first run")));
    }
}

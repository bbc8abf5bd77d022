//! Ties and lattices: values that repeat, and values that all lie on a grid (docs/design/bound.md, "Ties and lattices").
//!
//! A continuous tail model cannot see repeated values. They are spread first, between the midpoints to their
//! neighbours.

/// Values this close, as a part of the spread of the samples, are one value with noise in its last bits.
const SAME: f64 = 1e-9;

/// How far a gap may be from a multiple of the lattice step, as a part of the gap and of the step.
const OFF_LATTICE: (f64, f64) = (1e-6, 0.02);

/// Ascending values grouped by equality.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ties {
    groups: Vec<Group>,
    /// Whether values were merged that differ in their last bits.
    noisy: bool,
    step: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Group {
    value: f64,
    count: usize,
}

impl Ties {
    /// Groups ascending, finite values.
    pub fn new(values: &[f64]) -> Self {
        let tolerance = SAME * spread(values);
        let mut groups: Vec<Group> = Vec::with_capacity(values.len());
        let mut noisy = false;
        let mut start = f64::NEG_INFINITY;
        for value in values {
            match groups.last_mut() {
                Some(group) if *value - start <= tolerance => {
                    noisy |= *value != start;
                    // The largest of a group stands for it: a bound there is beyond none of them.
                    group.value = *value;
                    group.count += 1;
                }
                _ => {
                    start = *value;
                    groups.push(Group {
                        value: *value,
                        count: 1,
                    });
                }
            }
        }
        let step = lattice_step(&groups, values.len());
        Ties {
            groups,
            noisy,
            step,
        }
    }

    /// Whether any of the `count` largest values repeats.
    pub fn reach(&self, count: usize) -> bool {
        let mut largest = self.groups.iter().rev().take(count);
        largest.any(|group| group.count > 1)
    }

    /// The step of the lattice that all values lie on, if there are ties and such a step.
    pub fn step(&self) -> Option<f64> {
        self.step
    }

    /// The value that stands for the group of one of the values.
    pub fn representative(&self, value: f64) -> f64 {
        let group = self.groups.partition_point(|group| group.value < value);
        self.groups.get(group).map_or(value, |group| group.value)
    }

    /// Each value's ties spread evenly between the midpoints to its neighbours; the outermost values mirror their
    /// inner gap.
    ///
    /// On a lattice without holes that is the cell around each lattice point. Values such as squares lie on a lattice
    /// with many holes; their cells are as wide as the gaps that are really there.
    pub fn spread(&self) -> Vec<f64> {
        let mut spread = Vec::with_capacity(self.groups.iter().map(|g| g.count).sum());
        for (i, group) in self.groups.iter().enumerate() {
            let (below, above) = self.gaps(i);
            let place = 0.5 * (below + above) / group.count as f64;
            for j in 0..group.count {
                let offset = if group.count == 1 {
                    0.0
                } else {
                    place * (j as f64 + 0.5) - 0.5 * below
                };
                spread.push(group.value + offset);
            }
        }
        spread
    }

    /// Undoes the spreading for a bound: the value in whose cell `bound` lies.
    ///
    /// The cells beyond the largest value are unknown; they are taken to be like that of the outermost value with
    /// ties. On a lattice the result is a lattice point, with room for noise in the last bits where the values show
    /// some.
    pub fn gather(&self, bound: f64) -> f64 {
        let tied = self.groups.iter().rposition(|group| group.count > 1);
        let gap = tied.map_or(0.0, |i| {
            let (below, above) = self.gaps(i);
            below.min(above)
        });
        match (self.step, self.groups.last()) {
            (Some(step), Some(top)) => {
                let bound = bound + 0.5 * (gap - step);
                let steps = ((bound - top.value) / step - 1e-6).ceil();
                let room = if self.noisy { 1e-6 * step } else { 0.0 };
                top.value + steps * step + room
            }
            _ => bound + 0.5 * gap,
        }
    }

    /// The gaps from a group to its neighbours; the outermost mirror their inner gap.
    fn gaps(&self, i: usize) -> (f64, f64) {
        let gap = |low: usize| {
            let (low, high) = (self.groups.get(low)?, self.groups.get(low + 1)?);
            Some(high.value - low.value)
        };
        let (below, above) = (i.checked_sub(1).and_then(gap), gap(i));
        let inner = below.or(above).unwrap_or(0.0);
        (below.unwrap_or(inner), above.unwrap_or(inner))
    }
}

/// The width of the middle 80 % of the values, or of as many as it takes to find two that differ; one wild value does
/// not blur the rest. Values too far apart for a difference are told apart as they are.
fn spread(values: &[f64]) -> f64 {
    let Some(last) = values.len().checked_sub(1) else {
        return 0.0;
    };
    let width = |cut: usize| values[last - cut] - values[cut];
    let cuts = [last / 10, last / 20, last / 50, last / 200, 0];
    let width = cuts.into_iter().map(width).find(|width| *width > 0.0);
    width.filter(|width| width.is_finite()).unwrap_or(0.0)
}

/// The smallest gap, if there are ties and every gap is a multiple of it.
fn lattice_step(groups: &[Group], values: usize) -> Option<f64> {
    if groups.len() < 2 || groups.len() == values {
        return None;
    }
    let gaps = || groups.windows(2).map(|pair| pair[1].value - pair[0].value);
    let step = gaps().fold(f64::INFINITY, f64::min);
    let fits = |gap: f64| {
        let steps = gap / step;
        (steps - steps.round()).abs() <= (OFF_LATTICE.0 * steps).min(OFF_LATTICE.1)
    };
    (step.is_finite() && gaps().all(fits)).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], step: Option<f64>, spread: &[f64]) {
        let ties = Ties::new(values);
        match (ties.step(), step) {
            (Some(got), Some(want)) => assert!((got / want - 1.0).abs() < 1e-9, "{got}"),
            (got, want) => assert_eq!(got, want, "{values:?}"),
        }
        let got = ties.spread();
        assert_eq!(got.len(), values.len());
        for (got, want) in got.iter().zip(spread) {
            assert!((got - want).abs() < 1e-9, "{got} {want}");
        }
    }

    #[test]
    fn integers_are_a_lattice_with_gaps() {
        check(
            &[1.0, 2.0, 2.0, 3.0, 5.0],
            Some(1.0),
            &[1.0, 1.75, 2.25, 3.0, 5.0],
        );
    }

    #[test]
    fn tenths_with_noise_in_the_last_bit_are_a_lattice() {
        let values = [0.1, 0.2, 0.1 + 0.2, 0.3, 0.7];
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        check(&sorted, Some(0.1), &[0.1, 0.2, 0.3125, 0.4375, 0.7]);
        let ties = Ties::new(&sorted);
        assert!(ties.gather(0.75) > 0.8 && ties.gather(0.75) < 0.800001);
        assert!(ties.gather(0.7) < 0.700001, "a lattice point stays");
    }

    #[test]
    fn distinct_values_are_no_lattice_even_on_a_grid() {
        check(&[1.0, 2.0, 3.0], None, &[1.0, 2.0, 3.0]);
        assert!(!Ties::new(&[1.0, 2.0, 3.0]).reach(3));
    }

    #[test]
    fn unequal_steps_spread_between_midpoints() {
        let root = 2f64.sqrt();
        check(
            &[0.0, 0.0, 1.0, root, root],
            None,
            &[
                -0.25,
                0.25,
                1.0,
                root - 0.25 * (root - 1.0),
                root + 0.25 * (root - 1.0),
            ],
        );
    }

    #[test]
    fn one_wild_value_does_not_blur_the_rest() {
        let mut values: Vec<f64> = (0..99).map(|i| 0.1 + 1e-4 * f64::from(i)).collect();
        values.push(1e15);
        assert!(!Ties::new(&values).reach(100));
        // Even where most values are equal.
        values[..85].fill(0.05);
        assert_eq!(Ties::new(&values).representative(0.1097), 0.1097);
        assert!(!Ties::new(&values).reach(14));
    }

    #[test]
    fn values_too_far_apart_for_a_difference_stay_apart() {
        let mut values = vec![-1.5e308; 45];
        values.extend((0..50).map(|i| 1e306 * f64::from(i)));
        values.extend([1.5e308; 5]);
        assert_eq!(Ties::new(&values).representative(4e307), 4e307);
    }

    #[test]
    fn holes_in_a_lattice_widen_the_cells() {
        let squares = [0.0, 1.0, 4.0, 4.0, 9.0, 9.0, 16.0];
        check(&squares, Some(1.0), &[0.0, 1.0, 3.5, 5.5, 8.0, 11.0, 16.0]);
        assert_eq!(Ties::new(&squares).gather(21.0), 23.0);
    }

    #[test]
    fn integers_snap_exactly() {
        let ties = Ties::new(&[0.0, 1.0, 1.0, 3.0]);
        assert_eq!(ties.gather(3.2), 4.0);
        assert_eq!(ties.gather(3.0), 3.0);
        assert_eq!(ties.gather(-1.5), -1.0);
    }
}

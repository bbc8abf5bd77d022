//! Values in order, as they come, and the place of each among those before it.

/// The values so far, in ascending order. NaN lies above all numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranks {
    sorted: Vec<f64>,
}

impl Ranks {
    /// Puts a value into its place.
    pub fn insert(&mut self, value: f64) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let place = self.sorted.partition_point(|other| *other < value);
        self.sorted.insert(place, value);
    }

    /// The share of all values that lie below, ties and the value itself by half: strictly between 0 and 1 for a value
    /// that was inserted.
    pub fn mid_rank(&self, value: f64) -> f64 {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let below = self.sorted.partition_point(|other| *other < value);
        let equal = self.sorted[below..].partition_point(|other| *other <= value);
        (below as f64 + 0.5 * equal as f64) / self.sorted.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_agree_with_scipy() {
        // scipy.stats.rankdata([3, 1, 4, 1, 5, 9, 2, 6]) is [4, 1.5, 5, 1.5, 6, 8, 3, 7].
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let mut ranks = Ranks::default();
        values.iter().for_each(|value| ranks.insert(*value));
        let expected = [4.0, 1.5, 5.0, 1.5, 6.0, 8.0, 3.0, 7.0];
        for (value, rank) in values.iter().zip(expected) {
            assert_eq!(ranks.mid_rank(*value), (rank - 0.5) / 8.0);
        }
        ranks.insert(f64::NAN);
        assert_eq!(ranks.mid_rank(f64::NAN), 8.5 / 9.0);
    }
}

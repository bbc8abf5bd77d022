//! Sets of small numbers, a bit for each.

/// A set of numbers below a limit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of numbers below `limit`.
    pub fn new(limit: usize) -> Self {
        BitSet {
            words: vec![0; limit.div_ceil(64)],
        }
    }

    /// The empty set with the same limit.
    pub fn emptied(&self) -> Self {
        BitSet {
            words: vec![0; self.words.len()],
        }
    }

    /// Adds a number; one that is not below the limit is left out.
    pub fn insert(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Returns true if the number is in the set.
    pub fn contains(&self, number: usize) -> bool {
        let word = self.words.get(number / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// How many numbers are in both sets.
    pub fn count_common(&self, other: &BitSet) -> usize {
        let common = self.words.iter().zip(&other.words);
        common.map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// How many numbers of `more` are in `among` and not in this set.
    pub fn count_new(&self, more: &BitSet, among: &BitSet) -> usize {
        let words = self.words.iter().zip(&more.words).zip(&among.words);
        words
            .map(|((known, more), among)| (more & among & !known).count_ones() as usize)
            .sum()
    }

    /// Adds all numbers of another set.
    pub fn unite(&mut self, other: &BitSet) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Leaves only what is in the other set too.
    pub fn intersect(&mut self, other: &BitSet) {
        for (word, kept) in self.words.iter_mut().zip(&other.words) {
            *word &= kept;
        }
    }

    /// The numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let bits = self.words.iter().enumerate();
        bits.flat_map(|(at, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| 64 * at + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[usize]) -> BitSet {
        let mut set = BitSet::new(130);
        numbers.iter().for_each(|number| set.insert(*number));
        set
    }

    #[test]
    fn sets_are_counted_and_united() {
        let (a, b) = (set(&[0, 63, 64, 129]), set(&[63, 100, 129]));
        assert_eq!((a.count(), a.count_common(&b)), (4, 2));
        assert_eq!(a.count_new(&b, &set(&[100, 129])), 1);
        let mut both = a.clone();
        both.unite(&b);
        assert_eq!(both.iter().collect::<Vec<_>>(), [0, 63, 64, 100, 129]);
        both.intersect(&b);
        assert_eq!(both, b);
        assert!(a.contains(64) && !a.contains(65) && !a.contains(1000));
    }

    #[test]
    fn what_is_not_below_the_limit_is_left_out() {
        assert_eq!(set(&[1000]).count(), 0);
        assert_eq!(BitSet::new(0).count(), 0);
    }
}

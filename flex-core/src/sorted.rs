//! Maps and sets that lie in one vector, in order.
//!
//! They hold the sites, runs or entries of a test, which are few or come in order, so that most are added at the end.
//! For those a tree is no quicker, and it is many times the code in every program that links this crate.

use std::cmp::Ordering;

/// A map in the order of its keys. A new entry moves those behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K: Ord, V> SortedMap<K, V> {
    /// A map without entries.
    pub const fn new() -> Self {
        SortedMap {
            entries: Vec::new(),
        }
    }

    /// A map without entries, with room for so many.
    pub fn with_capacity(entries: usize) -> Self {
        SortedMap {
            entries: Vec::with_capacity(entries),
        }
    }

    /// The keys with their values, in order.
    pub fn entries(&self) -> &[(K, V)] {
        &self.entries
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        match self.place(key) {
            Ok(place) => Some(&self.entries[place].1),
            Err(_) => None,
        }
    }

    /// Whether a key has a value.
    pub fn contains(&self, key: &K) -> bool {
        self.place(key).is_ok()
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        match self.place(key) {
            Ok(place) => Some(&mut self.entries[place].1),
            Err(_) => None,
        }
    }

    /// The value of a key, to be changed; `value` if the key is new.
    pub fn get_or_insert(&mut self, key: K, value: V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.add(place, (key, value));
                place
            }
        };
        &mut self.entries[place].1
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(place) => self.entries[place].1 = value,
            Err(place) => self.add(place, (key, value)),
        }
    }

    /// Sets the value of a key that has none, and says whether it had none.
    pub fn insert_new(&mut self, key: K, value: V) -> bool {
        let place = self.place(&key);
        if let Err(place) = place {
            self.add(place, (key, value));
        }
        place.is_err()
    }

    /// Adds an entry. Room grows by a quarter, not to twice as much: most maps are small and stay.
    fn add(&mut self, place: usize, entry: (K, V)) {
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(self.entries.len() / 4 + 1);
        }
        self.entries.insert(place, entry);
    }

    fn place(&self, key: &K) -> Result<usize, usize> {
        place(self.entries.len(), &|index| self.entries[index].0.cmp(key))
    }
}

impl<K: Ord, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap::new()
    }
}

/// A set in the order of its elements. A new element moves those behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct SortedSet<T> {
    elements: Vec<T>,
}

impl<T: Ord> SortedSet<T> {
    /// A set without elements.
    pub const fn new() -> Self {
        SortedSet {
            elements: Vec::new(),
        }
    }

    /// The elements, in order.
    pub fn as_slice(&self) -> &[T] {
        &self.elements
    }

    /// The elements that are less than this one, in order.
    pub fn below(&self, limit: &T) -> &[T] {
        let (Ok(place) | Err(place)) = self.place(limit);
        &self.elements[..place]
    }

    /// Whether this is an element.
    pub fn contains(&self, element: &T) -> bool {
        self.place(element).is_ok()
    }

    /// Adds an element, unless there is an equal one.
    pub fn insert(&mut self, element: T) {
        if let Err(place) = self.place(&element) {
            self.elements.insert(place, element);
        }
    }

    /// Removes the least elements, as many as `count`.
    pub fn remove_first(&mut self, count: usize) {
        self.elements.drain(..count.min(self.elements.len()));
    }

    fn place(&self, element: &T) -> Result<usize, usize> {
        place(self.elements.len(), &|index| {
            self.elements[index].cmp(element)
        })
    }
}

impl<T: Ord> Default for SortedSet<T> {
    fn default() -> Self {
        SortedSet::new()
    }
}

/// Sorts numbers.
pub fn sort_numbers(numbers: &mut [f64]) {
    numbers.sort_unstable_by(f64::total_cmp);
}

/// Sorts indices of runs.
pub fn sort_runs(runs: &mut [u32]) {
    sort(runs, |a, b| a < b);
}

/// Sorts whatever is no number; equal elements keep their order. What the standard library has is quicker where there are
/// very many, and twenty times the code, once more for every type and order.
pub fn sort<T>(elements: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    let mut order = order(elements.len(), &|a, b| {
        is_before(&elements[a], &elements[b])
    });
    for first in 0..order.len() {
        // Each element on the way gets the one that belongs there, and the last one the first.
        let mut at = first;
        while order[at] != first {
            let next = std::mem::replace(&mut order[at], at);
            elements.swap(at, next);
            at = next;
        }
        order[at] = at;
    }
}

/// The places of so many elements in their order; those of equal ones are ascending.
pub fn order(elements: usize, is_before: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..elements).collect();
    let mut merged = order.clone();
    let mut width = 1;
    while width < elements {
        let mut start = 0;
        while start < elements {
            let middle = elements.min(start + width);
            let end = elements.min(middle + width);
            let (mut left, mut right) = (start, middle);
            for place in &mut merged[start..end] {
                let takes_right =
                    right < end && (left == middle || is_before(order[right], order[left]));
                let from = if takes_right { &mut right } else { &mut left };
                *place = order[*from];
                *from += 1;
            }
            start = end;
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

/// The place of an element among so many in order, or the place where it belongs; `compare` says how one of them stands to it.
/// Not generic, since there are many maps and sets.
fn place(elements: usize, compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut from, mut to) = (0, elements);
    while from < to {
        let middle = from + (to - from) / 2;
        match compare(middle) {
            Ordering::Less => from = middle + 1,
            Ordering::Greater => to = middle,
            Ordering::Equal => return Ok(middle),
        }
    }
    Err(from)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Numbers below 50 in an order without pattern, most of them several times.
    fn numbers() -> impl Iterator<Item = u32> {
        (0..200_u32).map(|i| i * i * 31 % 101 % 50)
    }

    #[test]
    fn a_map_has_what_a_tree_has() {
        let (mut map, mut tree) = (SortedMap::with_capacity(7), BTreeMap::new());
        for (value, key) in numbers().enumerate() {
            if value % 3 == 0 {
                *map.get_or_insert(key, 0) += value;
                *tree.entry(key).or_insert(0) += value;
            } else if value % 3 == 1 {
                assert_eq!(map.insert_new(key, value), !tree.contains_key(&key));
                tree.entry(key).or_insert(value);
            } else {
                map.insert(key, value);
                tree.insert(key, value);
            }
        }
        for key in 0..60 {
            assert_eq!(map.get(&key), tree.get(&key));
            assert_eq!(map.contains(&key), tree.contains_key(&key));
            assert_eq!(map.get_mut(&key), tree.get_mut(&key));
        }
        assert_eq!(map.entries(), tree.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_set_has_what_a_tree_has() {
        let (mut set, mut tree) = (SortedSet::new(), BTreeSet::new());
        for number in numbers() {
            set.insert(number);
            tree.insert(number);
        }
        for number in 0..60 {
            assert_eq!(set.contains(&number), tree.contains(&number));
            assert!(set.below(&number).iter().eq(tree.range(..number)));
        }
        assert!(set.as_slice().iter().eq(&tree));
    }

    #[test]
    fn the_first_elements_of_a_set_can_be_removed() {
        let mut set = SortedSet::new();
        for number in [3, 1, 2] {
            set.insert(number);
        }
        set.remove_first(0);
        set.remove_first(2);
        assert_eq!(set.as_slice(), [3]);
        set.remove_first(2);
        assert!(set.as_slice().is_empty());
    }

    #[test]
    fn elements_are_sorted_and_equal_ones_keep_their_order() {
        for count in [0, 1, 2, 3, 7, 8, 9, 100, 200] {
            let mut pairs: Vec<(u32, usize)> = numbers().zip(0..count).collect();
            let mut theirs = pairs.clone();
            sort(&mut pairs, |a, b| a.0 < b.0);
            theirs.sort_by_key(|pair| pair.0);
            assert_eq!(pairs, theirs);
            sort(&mut pairs, |a, b| a.1 > b.1);
            theirs.sort_by_key(|pair| std::cmp::Reverse(pair.1));
            assert_eq!(pairs, theirs);
        }
    }
}

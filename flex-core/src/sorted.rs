//! Maps and sets that lie in one vector, in order.
//!
//! They hold the sites, runs or entries of a test, which are few or come in order, so that most are added at the end.
//! For those a tree is no quicker, and it is many times the code in every program that links this crate.

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
        self.entries.binary_search_by(|(known, _)| known.cmp(key))
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
        let (Ok(place) | Err(place)) = self.elements.binary_search(limit);
        &self.elements[..place]
    }

    /// Whether this is an element.
    pub fn contains(&self, element: &T) -> bool {
        self.elements.binary_search(element).is_ok()
    }

    /// Adds an element, unless there is an equal one.
    pub fn insert(&mut self, element: T) {
        if let Err(place) = self.elements.binary_search(&element) {
            self.elements.insert(place, element);
        }
    }

    /// Removes the least elements, as many as `count`.
    pub fn remove_first(&mut self, count: usize) {
        self.elements.drain(..count.min(self.elements.len()));
    }
}

impl<T: Ord> Default for SortedSet<T> {
    fn default() -> Self {
        SortedSet::new()
    }
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
}

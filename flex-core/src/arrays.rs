//! Arrays of plain values, element by element. What the standard library has for it is ready for functions that panic and
//! for elements that own something, which is ten times the code, once more for every use in what a test links.

/// The results of a function for all elements.
pub fn each<T: Copy, U: Copy + Default, const N: usize>(
    elements: &[T; N],
    mut result: impl FnMut(T) -> U,
) -> [U; N] {
    let mut results = [U::default(); N];
    for (place, element) in results.iter_mut().zip(elements) {
        *place = result(*element);
    }
    results
}

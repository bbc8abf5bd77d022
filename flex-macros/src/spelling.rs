//! Misspelt words.

/// The word that was probably meant: at most two letters differ, and fewer than half of them.
pub fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = |word: &str| word.chars().collect::<Vec<_>>();
    let word = letters(word);
    for edits in 0..=2 {
        let is_near = |known: &&&str| is_within(edits, &word, &letters(known));
        if let Some(closest) = known.iter().find(is_near) {
            return (2 * edits < closest.len()).then_some(*closest);
        }
    }
    None
}

/// Whether one word becomes the other by so many edits at most: a letter more, less or another, or two that are
/// swapped.
fn is_within(edits: usize, a: &[char], b: &[char]) -> bool {
    match (a, b) {
        ([], []) => true,
        ([first, a @ ..], [same, b @ ..]) if first == same => is_within(edits, a, b),
        _ if edits == 0 => false,
        ([w, x, a @ ..], [y, z, b @ ..]) if (w, x) == (z, y) && is_within(edits - 1, a, b) => true,
        _ => {
            let (less_a, less_b) = (a.get(1..), b.get(1..));
            less_a.is_some_and(|less_a| is_within(edits - 1, less_a, b))
                || less_b.is_some_and(|less_b| is_within(edits - 1, a, less_b))
                || (less_a.zip(less_b)).is_some_and(|(a, b)| is_within(edits - 1, a, b))
        }
    }
}

#[cfg(test)]
mod tests {
    use strsim::osa_distance;

    use super::*;

    #[test]
    fn misspelt_words_are_recognised() {
        let known = ["confidence", "runs", "max_runs", "tail"];
        let check = |word, expected| assert_eq!(closest(word, &known), expected, "{word}");
        check("confidance", Some("confidence"));
        check("run", Some("runs"));
        check("maxruns", Some("max_runs"));
        check("tails", Some("tail"));
        check("tial", Some("tail"));
        check("seed", None);
        check("x", None);
    }

    #[test]
    fn edits_are_counted_as_strsim_counts_them() {
        let words = [
            "", "a", "ba", "ab", "abc", "acb", "cab", "tail", "tial", "light", "ligth", "lhgit",
        ];
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        for (a, b) in words.iter().flat_map(|a| words.map(|b| (*a, b))) {
            let distance = osa_distance(a, b);
            for edits in 0..=3 {
                assert_eq!(
                    is_within(edits, &letters(a), &letters(b)),
                    distance <= edits,
                    "{a} {b}"
                );
            }
        }
    }
}

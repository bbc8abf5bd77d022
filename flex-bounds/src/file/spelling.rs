//! Keys that nobody knows, and what was probably meant.

/// What is said about a key that nobody knows: the key that was probably meant, or else all there are.
pub(crate) fn unknown_key(key: &str, known: &[&str]) -> String {
    let shown = key.escape_debug();
    let closest = known
        .iter()
        .map(|candidate| (distance(key, candidate), candidate))
        .min();
    match closest {
        Some((distance, candidate)) if distance <= 1 + candidate.len() / 3 => {
            format!("unknown key `{shown}`; did you mean `{candidate}`?")
        }
        _ => format!(
            "unknown key `{shown}`; known here are `{}`",
            known.join("`, `")
        ),
    }
}

/// How many letters one must add, leave out or exchange, or swap with their neighbour, to make one word of the other
/// (optimal string alignment; Damerau 1964).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // By how many letters of either word are used.
    let mut distances = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            distances[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let exchanged = distances[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let longer = distances[i - 1][j].min(distances[i][j - 1]) + 1;
                let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swapped = if is_swap {
                    distances[i - 2][j - 2] + 1
                } else {
                    longer
                };
                exchanged.min(longer).min(swapped)
            };
        }
    }
    distances[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_likely_key_is_suggested_and_an_unlikely_one_lists_all() {
        let known = ["ceiling", "guard", "fit"];
        assert!(unknown_key("cieling", &known).ends_with("did you mean `ceiling`?"));
        assert!(unknown_key("Guard", &known).ends_with("did you mean `guard`?"));
        assert!(unknown_key("colour", &known).ends_with("`ceiling`, `guard`, `fit`"));
        assert!(unknown_key("a\nb", &known).contains("`a\\nb`"));
    }

    #[test]
    fn distances_are_those_of_strsim() {
        let words = [
            "", "a", "ba", "ab", "abc", "acb", "ca", "tail", "tial", "ceiling", "cieling", "üb",
            "bü",
        ];
        for a in words {
            for b in words {
                assert_eq!(distance(a, b), strsim::osa_distance(a, b), "{a} {b}");
            }
        }
    }
}

//! Words that several messages share.

/// A number with its noun and verb in the right form: "1 run is", "3 runs are".
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Names runs, the first few of them: "run 7", "runs 3, 14 and 15", "runs 1, 2, 3, 4, 5 and 12 more".
pub fn run_list(runs: &[u32]) -> String {
    const SHOWN: usize = 5;
    match runs {
        [] => "no run".to_owned(),
        [run] => format!("run {run}"),
        [first @ .., last] if runs.len() <= SHOWN => {
            format!("runs {} and {last}", join(first))
        }
        _ => format!(
            "runs {} and {} more",
            join(&runs[..SHOWN]),
            runs.len() - SHOWN
        ),
    }
}

fn join(runs: &[u32]) -> String {
    let words: Vec<String> = runs.iter().map(u32::to_string).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(count(1, "run is", "runs are"), "1 run is");
        assert_eq!(count(0, "run is", "runs are"), "0 runs are");
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(run_list(&[7]), "run 7");
        assert_eq!(run_list(&[3, 14, 15]), "runs 3, 14 and 15");
        assert_eq!(
            run_list(&[1, 2, 3, 4, 5, 6, 7]),
            "runs 1, 2, 3, 4, 5 and 2 more"
        );
    }
}

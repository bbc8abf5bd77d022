//! Words that several messages share.

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
    fn long_lists_are_cut() {
        assert_eq!(run_list(&[7]), "run 7");
        assert_eq!(run_list(&[3, 14, 15]), "runs 3, 14 and 15");
        assert_eq!(
            run_list(&[1, 2, 3, 4, 5, 6, 7]),
            "runs 1, 2, 3, 4, 5 and 2 more"
        );
    }
}

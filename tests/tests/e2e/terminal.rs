//! What people see while they wait and what they see then: bars at a terminal, lines elsewhere, colour where it can be
//! seen, and nothing for those who want quiet.

use flex_tests::flex_harness;
use flex_tests::project::{NORMAL, Project};

/// A test that takes long enough to be looked at, in five processes of eight runs.
const SLOW: &str = r#"
#[cfg(test)]
mod tests {
    use super::*;
    use flex_harness::{assert_tail_bound, stochastic_test};

    #[stochastic_test]
    fn takes_its_time(rng: &mut TestRng) {
        std::thread::sleep(std::time::Duration::from_millis(60));
        let error = normal(rng, 0.0);
        assert_tail_bound!(error < _);
    }
}
"#;

/// Calibrates forty runs anew, whatever came of it before.
const CALIBRATE: &str = "cargo flex calibrate --seed fixed --runs 40 --full";

/// The runs that lines of progress say are done.
fn runs_seen(text: &str) -> Vec<u32> {
    let of = |part: &str| part.split_once(" of 40")?.0.parse().ok();
    text.split("run ").skip(1).filter_map(of).collect()
}

#[test]
fn progress_and_colour_are_for_those_who_see_them() {
    let library = format!("{NORMAL}{SLOW}");
    let project = Project::new("e2e-terminal", "", &[("src/lib.rs", library.as_str())]);
    project.forget();
    let seen = |env: &str, line: &str| project.at_a_terminal(&format!("env {env} {line}"), "");
    let usual = "-u NO_COLOR -u CLICOLOR_FORCE -u CARGO_TERM_COLOR -u CI TERM=xterm LC_ALL=C.UTF-8";

    // At a terminal: a bar that says more than where a process of eight runs ends, and what is learned stands out.
    let shown = seen(usual, CALIBRATE);
    shown.says(
        0,
        &["1 test calibrated", "█", "0 of 1 test", "\u{1b}[1mguard "],
    );
    let runs = runs_seen(&shown.out);
    let within = runs.iter().filter(|run| **run % 8 != 0);
    assert!(within.count() >= 3, "{runs:?}");
    assert!(runs.is_sorted() && shown.out.contains("guard "), "{runs:?}");

    // Nobody looks at the terminal of a CI service: lines, and no more of them than there are tests.
    let lines = seen(&usual.replace("-u CI", "CI=true"), CALIBRATE);
    lines.says(
        0,
        &["calibrated e2e-terminal lib tests::takes_its_time: 40 runs in 5 processes"],
    );
    assert!(
        !lines.out.contains('█') && runs_seen(&lines.out).is_empty(),
        "{lines}"
    );

    // Without a terminal the same; -v says how far it is in lines that stay, also within a process.
    let more = project.cargo(&["flex", "calibrate", "-v", "--runs", "40", "--full"], &[]);
    more.says(0, &["40 runs in 5 processes"]);
    let within = runs_seen(&more.err).into_iter().filter(|run| run % 8 != 0);
    assert!(within.count() >= 3, "{more}");
    assert!(!more.all().contains('\u{1b}'), "{more}");

    // Colour is forced and forbidden; quiet is quiet, and the answer is there.
    let env = [("CLICOLOR_FORCE", "1")];
    let quiet = ["flex", "calibrate", "-q", "--runs", "20", "--full"];
    let forced = project.cargo(&quiet, &env);
    assert_eq!(forced.code, 0, "{forced}");
    assert!(
        forced.out.contains("\u{1b}[1mguard ") && forced.err.is_empty(),
        "{forced}"
    );
    let forbidden = seen(&format!("{usual} NO_COLOR=1"), "cargo flex calibrate none");
    forbidden.says(2, &["error: none of 1 stochastic test"]);
    assert!(!forbidden.out.contains('\u{1b}'), "{forbidden}");
    let painted = seen(usual, "cargo flex calibrate none");
    painted.says(
        2,
        &["\u{1b}[1;31merror:\u{1b}[0m none of 1", "\u{1b}[36mhint:"],
    );

    // A locale without Unicode has it spelt.
    let spelt = seen(&usual.replace("LC_ALL=C.UTF-8", "LC_ALL=C"), CALIBRATE);
    spelt.says(0, &["calibrated"]);
    assert!(spelt.out.is_ascii(), "{spelt}");
}

/// The names of the commands below one.
fn commands(help: &str) -> Vec<String> {
    let below = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let below = below.take_while(|line| !line.is_empty());
    let named = below.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let named = named.filter(|name| !name.is_empty() && *name != "help");
    named.map(str::to_owned).collect()
}

#[test]
fn the_help_of_every_command_fits_80_columns() {
    let mut open = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = open.pop() {
        for flag in ["-h", "--help"] {
            let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
            args.push(flag);
            let said = flex_harness(&args, "");
            assert_eq!((said.code, said.err.as_str()), (0, ""));
            for line in said.out.lines() {
                assert!(line.chars().count() <= 80, "{args:?}: {line}");
            }
            if flag == "-h" {
                seen += 1;
                let below = commands(&said.out).into_iter();
                open.extend(below.map(|name| [command.clone(), vec![name]].concat()));
            }
        }
    }
    assert!(seen > 20, "{seen} commands");
}

//! Stochastic tests in every kind of cargo target, and in workspaces: each is found, calibrated, enforced and replayed.

use flex_tests::project::{NORMAL, Project};

const TEST: &str = r#"
#[cfg(test)]
mod tests {
    use flex_harness::prelude::*;
    use CRATE::{knob, normal};

    #[stochastic_test]
    fn r#match(rng: &mut TestRng) {
        let error = normal(rng, knob("SHIFT"));
        assert_tail_bound!(error < _);
    }
}
"#;

fn project() -> Project {
    let in_library = format!("{NORMAL}{}", TEST.replace("CRATE", "crate"));
    let elsewhere = TEST.replace("CRATE", "many_targets");
    let with_main = format!("fn main() {{}}\n{elsewhere}");
    let bench = format!(
        "{}\nflex_harness::main!();\n",
        elsewhere.replace("#[cfg(test)]\n", "")
    );
    let member = format!(
        "[package]\nname = \"many-targets-member\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         flex-harness = {{ path = \"{}/../flex-harness\" }}\nrand = \"0.10\"\n",
        env!("CARGO_MANIFEST_DIR")
    );
    Project::new(
        "many-targets",
        "[[bin]]\nname = \"a-tool\"\npath = \"src/tool.rs\"\n\n\
         [[bench]]\nname = \"a-bench\"\nharness = false\n\n\
         [[example]]\nname = \"an-example\"\ntest = true\n",
        &[
            ("src/lib.rs", in_library.as_str()),
            ("src/tool.rs", with_main.as_str()),
            ("examples/an-example.rs", with_main.as_str()),
            ("benches/a-bench.rs", bench.as_str()),
            ("tests/a-test/main.rs", "mod part;\n"),
            ("tests/a-test/part.rs", elsewhere.as_str()),
            ("members/other/Cargo.toml", member.as_str()),
            ("members/other/src/lib.rs", in_library.as_str()),
        ],
    )
}

#[test]
fn every_kind_of_target_is_calibrated_enforced_and_replayed() {
    let project = project();
    let said = project.calibrate(&["--workspace"], &[]);
    said.says(
        0,
        &[
            "many-targets bin:a-tool tests::r#match\n",
            "many-targets example:an-example tests::r#match\n",
            "many-targets lib tests::r#match\n",
            "many-targets test:a_test part::tests::r#match\n",
            "many-targets-member lib tests::r#match\n",
            "5 tests calibrated: 5 sites learned, 0 refused",
        ],
    );
    assert!(
        !said.out.contains("many-targets many-targets"),
        "{}",
        said.out
    );
    project
        .calibrate(&["--bench", "a-bench"], &[])
        .says(0, &["bench:a_bench tests::r#match\n"]);
    // Each package has a file of its own.
    assert_eq!(project.bounds().matches("[[bound]]").count(), 5);
    let member = project.read("members/other/flex-bounds.toml");
    assert_eq!(member.matches("[[bound]]").count(), 1);

    // The seeds are fixed: unchanged code passes, a regression of 4 standard deviations does not.
    let all = ["test", "--workspace", "--all-targets", "--no-fail-fast"];
    project.cargo(&all, &[("FLEX_SEED", "s1")]).says(0, &[]);
    let env = [("FLEX_SEED", "s1"), ("SHIFT", "4")];
    let broken = project.cargo(&all, &env);
    broken.says(101, &["6 targets failed"]);
    let lines = |beginning: &str| -> Vec<String> {
        let lines = broken.out.lines().map(str::trim);
        lines
            .filter(|line| line.starts_with(beginning))
            .map(str::to_owned)
            .collect()
    };
    let (values, replays) = (lines("value "), lines("replay: "));
    assert_eq!((values.len(), replays.len()), (6, 6));
    for (value, replay) in values.iter().zip(&replays) {
        let line = replay.strip_prefix("replay: ").unwrap();
        let again = project.shell(&format!("SHIFT=4 {line}"));
        again.says(101, &[value.as_str(), "1 failed; 0 ignored"]);
    }
}

#[test]
fn every_kind_of_target_names_the_line_that_calibrates_it() {
    let project = project();
    let all = ["test", "--workspace", "--all-targets", "--no-fail-fast"];
    let said = project.cargo(&all, &[]);
    said.says(101, &["6 targets failed"]);
    let lines = said
        .out
        .lines()
        .filter_map(|line| line.strip_prefix("calibrate: "));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 6);
    for line in lines {
        project
            .shell(line)
            .says(0, &["100 runs in 5 processes", "wrote "]);
    }
    project.cargo(&all, &[("FLEX_SEED", "s1")]).says(0, &[]);
}

#[test]
fn an_optimised_build_is_replayed_as_one() {
    let project = project();
    project
        .calibrate(&["--lib", "--release"], &[])
        .says(0, &["1 site learned"]);
    let env = [("FLEX_SEED", "s1"), ("SHIFT", "4")];
    let said = project.cargo(&["test", "--lib", "--release"], &env);
    said.says(
        101,
        &["replay: FLEX_SEED=s1 cargo test -p many-targets --release --lib -- --exact"],
    );
}

#[test]
fn a_variant_has_bounds_of_its_own() {
    let project = project();
    let (gpu, cpu) = (("FLEX_VARIANT", "gpu"), ("FLEX_VARIANT", "cpu"));
    project
        .calibrate(&["--lib"], &[])
        .says(0, &["1 site learned"]);
    project
        .calibrate(&["--lib"], &[gpu, ("SHIFT", "4")])
        .says(0, &["1 site learned"]);
    assert_eq!(project.entries("tests::r#match").len(), 2);
    let program = project.program(&["--lib"]);
    let run = |env: &[(&str, &str)]| {
        program.test("tests::r#match", &[&[("FLEX_SEED", "s1")], env].concat())
    };
    run(&[]).says(0, &["1 passed"]);
    run(&[gpu, ("SHIFT", "4")]).says(0, &["1 passed"]);
    // A variant without bounds of its own is held to those of all.
    run(&[cpu]).says(0, &["1 passed"]);
    run(&[cpu, ("SHIFT", "4")]).says(
        101,
        &[
            "regression",
            "replay: FLEX_SEED=s1 FLEX_VARIANT=cpu cargo test ",
        ],
    );
}

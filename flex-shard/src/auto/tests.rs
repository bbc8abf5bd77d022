use super::*;

/// Variables, the shard that they name, and what all jobs have in common.
type Row = (
    &'static [(&'static str, &'static str)],
    &'static str,
    Option<&'static str>,
);

fn told_by(variables: &[(&str, &str)]) -> Result<AutoShard, Untold> {
    told(|name| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn shard(variables: &[(&str, &str)]) -> String {
    told_by(variables).unwrap().shard.to_string()
}

#[test]
fn each_system_is_understood() {
    let rows: &[Row] = &[
        (&[("FLEX_SHARD", "3/16")], "3/16", None),
        (
            &[("FLEX_SHARD", "slice:3/16"), ("SLURM_ARRAY_JOB_ID", "7")],
            "3/16",
            Some("7"),
        ),
        (
            &[
                ("FLEX_JOB_INDEX", "2"),
                ("FLEX_JOB_TOTAL", "16"),
                ("GITHUB_RUN_ID", "99"),
            ],
            "3/16",
            Some("99"),
        ),
        (
            &[
                ("CI_NODE_INDEX", "3"),
                ("CI_NODE_TOTAL", "16"),
                ("CI_PIPELINE_ID", "8"),
            ],
            "3/16",
            Some("8"),
        ),
        (
            &[
                ("CIRCLE_NODE_INDEX", "0"),
                ("CIRCLE_NODE_TOTAL", "4"),
                ("CIRCLE_WORKFLOW_ID", "w"),
            ],
            "1/4",
            Some("w"),
        ),
        (
            &[
                ("BUILDKITE_PARALLEL_JOB", "3"),
                ("BUILDKITE_PARALLEL_JOB_COUNT", "4"),
                ("BUILDKITE_BUILD_ID", "b"),
            ],
            "4/4",
            Some("b"),
        ),
        (
            &[
                ("SLURM_ARRAY_TASK_ID", "0"),
                ("SLURM_ARRAY_TASK_COUNT", "32"),
                ("SLURM_ARRAY_TASK_MIN", "0"),
                ("SLURM_ARRAY_TASK_MAX", "31"),
                ("SLURM_ARRAY_TASK_STEP", "1"),
                ("SLURM_ARRAY_JOB_ID", "101"),
            ],
            "1/32",
            Some("101"),
        ),
        // --array=10-25
        (
            &[
                ("SLURM_ARRAY_TASK_ID", "12"),
                ("SLURM_ARRAY_TASK_COUNT", "16"),
                ("SLURM_ARRAY_TASK_MIN", "10"),
                ("SLURM_ARRAY_TASK_MAX", "25"),
                ("SLURM_ARRAY_TASK_STEP", "1"),
            ],
            "3/16",
            None,
        ),
        // --array=1-7:2, and a Slurm that tells no count
        (
            &[
                ("SLURM_ARRAY_TASK_ID", "5"),
                ("SLURM_ARRAY_TASK_MIN", "1"),
                ("SLURM_ARRAY_TASK_MAX", "7"),
                ("SLURM_ARRAY_TASK_STEP", "2"),
            ],
            "3/4",
            None,
        ),
        (
            &[("JOB_COMPLETION_INDEX", "2"), ("FLEX_JOB_TOTAL", "16")],
            "3/16",
            None,
        ),
        (
            &[("TEST_SHARD_INDEX", "2"), ("TEST_TOTAL_SHARDS", "16")],
            "3/16",
            None,
        ),
        (
            &[("TEST_RUN_NUMBER", "3"), ("FLEX_JOB_TOTAL", "16")],
            "3/16",
            None,
        ),
    ];
    for (variables, expected, start) in rows {
        assert_eq!(shard(variables), *expected, "{variables:?}");
        assert_eq!(told_by(variables).unwrap().start.as_deref(), *start);
    }
    let tested: Vec<&str> = rows.iter().map(|(variables, ..)| variables[0].0).collect();
    for system in SYSTEMS {
        assert!(tested.contains(&system.index), "{}", system.name);
    }
}

#[test]
fn bazel_wants_a_file() {
    let variables = [
        ("TEST_SHARD_INDEX", "0"),
        ("TEST_TOTAL_SHARDS", "2"),
        ("TEST_SHARD_STATUS_FILE", "status/of-shard"),
    ];
    let told = told_by(&variables).unwrap();
    assert_eq!(told.status_file, Some("status/of-shard".into()));
}

#[test]
fn a_single_job_says_nothing_beside_several() {
    let single = [("CIRCLE_NODE_INDEX", "0"), ("CIRCLE_NODE_TOTAL", "1")];
    assert_eq!(shard(&single), "1/1");
    let several = [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "3")];
    for variables in [[single, several].concat(), [several, single].concat()] {
        assert_eq!(shard(&variables), "2/3");
    }
    // Two that agree are one.
    let bazel = [("TEST_SHARD_INDEX", "1"), ("TEST_TOTAL_SHARDS", "3")];
    assert_eq!(shard(&[several, bazel].concat()), "2/3");
}

#[test]
fn what_is_ambiguous_or_missing_is_an_error() {
    let check = |variables: &[(&str, &str)], words: &str| {
        let error = told_by(variables).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    check(&[], "SLURM_ARRAY_TASK_ID");
    check(&[("CI_NODE_INDEX", "")], "nothing says");
    check(&[("FLEX_SHARD", "16")], "FLEX_SHARD=16 tells no shard");
    check(
        &[("CI_NODE_INDEX", "2")],
        "CI_NODE_INDEX is set, but not CI_NODE_TOTAL",
    );
    check(&[("JOB_COMPLETION_INDEX", "2")], "not FLEX_JOB_TOTAL");
    check(
        &[
            ("TEST_RUN_NUMBER", "2"),
            ("CIRCLE_NODE_INDEX", "0"),
            ("CIRCLE_NODE_TOTAL", "1"),
        ],
        "not FLEX_JOB_TOTAL",
    );
    check(
        &[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")],
        "none of 4",
    );
    check(
        &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "4")],
        "no number",
    );
    check(
        &[("CIRCLE_NODE_INDEX", "4"), ("CIRCLE_NODE_TOTAL", "4")],
        "none of 4",
    );
    check(
        &[
            ("CI_NODE_INDEX", "1"),
            ("CI_NODE_TOTAL", "4"),
            ("TEST_SHARD_INDEX", "1"),
            ("TEST_TOTAL_SHARDS", "4"),
        ],
        "CI_NODE_INDEX says that this is shard 1/4, and TEST_SHARD_INDEX that it is 2/4",
    );
    // --array=1,3,8
    check(
        &[
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "3"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "8"),
            ("SLURM_ARRAY_TASK_STEP", "1"),
        ],
        "not evenly apart",
    );
    check(
        &[("SLURM_ARRAY_TASK_ID", "3")],
        "not SLURM_ARRAY_TASK_COUNT",
    );
}

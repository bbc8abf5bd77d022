//! Variables that are read by their names where they matter: how things are shown, what changes are about, who answers.

use super::env::{SetBy, Variable};

const fn row(set_by: SetBy, name: &'static str, meaning: &'static str) -> Variable {
    Variable {
        name,
        set_by,
        meaning,
    }
}

/// All of them, beside those of [`env`](super::env).
pub const READ_BY_NAME: &[Variable] = &[
    row(
        SetBy::Terminal,
        "NO_COLOR",
        "If it is set, there is no colour, whatever else is said.",
    ),
    row(
        SetBy::Terminal,
        "CLICOLOR_FORCE",
        "`1` asks for colour also where no terminal is.",
    ),
    row(
        SetBy::Terminal,
        "CLICOLOR",
        "`0` forbids colour, unless the one before asks for it.",
    ),
    row(
        SetBy::Terminal,
        "CARGO_TERM_COLOR",
        "`always` or `never`, as for cargo; the three before come first.",
    ),
    row(
        SetBy::Terminal,
        "TERM",
        "At a `dumb` terminal there is no colour, and progress comes in lines.",
    ),
    row(
        SetBy::Terminal,
        "CI",
        "Unless it is `false` or `0`, nobody looks at the terminal: progress comes in lines.",
    ),
    row(
        SetBy::Terminal,
        "LC_ALL",
        "The locale: where it has no UTF-8, signs beyond ASCII are spelt.",
    ),
    row(
        SetBy::Terminal,
        "LC_CTYPE",
        "The same, where the one before is not set.",
    ),
    row(
        SetBy::Terminal,
        "LANG",
        "The same, where neither of these is set.",
    ),
    row(
        SetBy::Flex,
        "FLEX_RUNNER",
        "The program is what cargo asks to run a test program: it lists it.",
    ),
    row(
        SetBy::Flex,
        "FLEX_TIED_TO",
        "The process that the program is tied to: it becomes another program, which ends when that process is gone.",
    ),
    row(
        SetBy::Flex,
        "FLEX_OBSERVED_ROOT",
        "The sources that `detect` compiles a copy of.",
    ),
    row(
        SetBy::Flex,
        "FLEX_OBSERVED_COPY",
        "The copy, in which assertions are seen.",
    ),
    row(
        SetBy::Flex,
        "FLEX_OBSERVED_HARNESS",
        "The flex-harness that test programs get which have none, and the folders of what it depends on.",
    ),
    row(
        SetBy::Others,
        "GITHUB_BASE_REF",
        "The branch that [the gate](../guide/gate.md) compares a change with; by GitHub Actions.",
    ),
    row(
        SetBy::Others,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        "The same, by GitLab.",
    ),
    row(
        SetBy::Others,
        "TEST_SHARD_STATUS_FILE",
        "A file that is made, so that Bazel knows that shards are; by Bazel.",
    ),
    row(
        SetBy::Others,
        "OMP_NUM_THREADS",
        "How many threads numerical code has, which shards must agree on; by people, as the next three.",
    ),
    row(SetBy::Others, "MKL_NUM_THREADS", "The same, for MKL."),
    row(
        SetBy::Others,
        "OPENBLAS_NUM_THREADS",
        "The same, for OpenBLAS.",
    ),
    row(SetBy::Others, "RAYON_NUM_THREADS", "The same, for rayon."),
    row(
        SetBy::Others,
        "DASK_SCHEDULER_ADDRESS",
        "The cluster of `--engine dask`, where neither option nor `flex.toml` name one.",
    ),
    row(
        SetBy::Others,
        "DASK_SCHEDULER_FILE",
        "The file that says where it is.",
    ),
    row(
        SetBy::Others,
        "RAY_ADDRESS",
        "The cluster of `--engine ray`, likewise.",
    ),
    row(
        SetBy::Others,
        "PYTHONHASHSEED",
        "The order of hashes in Python, stated by a search where nobody does; runs are made again under another.",
    ),
];

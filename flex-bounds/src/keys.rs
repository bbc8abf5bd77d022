//! Every key of `flex.toml` and `flex-bounds.toml`, with what it means: what parsers suggest in place of a key that they do
//! not know, and what the reference lists. The options of tests, which `flex.toml` has too, are in [`crate::options`].

/// Keys of one table, each with what it means, in Markdown.
pub type Keys = &'static [(&'static str, &'static str)];

/// The top of a bounds file.
pub const BOUNDS: Keys = &[
    ("version", "2; a file of another version is refused"),
    ("bound", "the entries, one for each site: `[[bound]]`"),
];

/// `[[bound]]`: an entry of a bounds file, in the order in which keys are written.
pub const ENTRY: Keys = &[
    (
        "target",
        "for cargo: `lib`, `bin:NAME`, `test:NAME`, `bench:NAME`, `example:NAME`",
    ),
    (
        "test",
        "the path of the test without the crate; for pytest the node id. Required",
    ),
    ("site", "the site's name or text. Required"),
    ("case", "the value of `case`"),
    (
        "variant",
        "the kind of machine; without it the entry is for all that have none of their own",
    ),
    ("tail", "`upper`, `lower` or `both`. Required"),
    (
        "confidence",
        "the site's share, strictly between 0 and 1. Required",
    ),
    ("domain", "two numbers, `inf` allowed"),
    ("light", "`true` if a light tail was promised"),
    (
        "ceiling",
        "one sample beyond it in the first run fails the test",
    ),
    ("guard", "beyond it a value is in doubt"),
    ("race", "the race of reruns, with `guard`: see below"),
    ("strays", "the race of values beyond all samples: see below"),
    ("strategy", "how the bound came about. Required"),
    ("reason", "why there is no ceiling, or nothing"),
    (
        "accept",
        "`\"unenforced\"`: a review decided that the site is not enforced; `\"learned\"`: its bound was learned with `--accept`, though something speaks against its values",
    ),
    (
        "lower",
        "with `tail = \"both\"`: the keys of the lower side, see below",
    ),
    (
        "upper",
        "with `tail = \"both\"`: the keys of the upper side, see below",
    ),
    ("samples", "how many samples the numbers rest on. Required"),
    (
        "not_finite",
        "how many of them were NaN or infinite, if any were",
    ),
    (
        "earlier",
        "how many values of earlier test runs the ceilings rest on too, if any",
    ),
    ("fit", "the fitted tail: see below"),
    (
        "quantiles",
        "17, ascending, of the finite samples; of a two-sided site the greatest value of each run",
    ),
    (
        "reached",
        "`always` if every calibration run that came to its end hit the site, else `sometimes`. Required",
    ),
    ("effort", "the effort that the test states, if it does"),
    (
        "replay",
        "what the site showed in some runs of the calibration: see below",
    ),
    ("fingerprint", "the hash of the test's source"),
    (
        "calibrated",
        "the day on which the numbers last changed, `YYYY-MM-DD`",
    ),
    ("base", "the base seed of the calibration"),
    (
        "engine",
        "what computed the bounds and drew the random numbers",
    ),
    (
        "checksum",
        "of the entry as calibration wrote it, in eight hexadecimal digits: by it an entry is known that was edited by hand",
    ),
];

/// The keys of a side, which stand in the entry itself unless it has two.
pub const SIDE: Keys = &[
    ("strategy", "as in the entry. Required"),
    ("ceiling", "as in the entry"),
    ("guard", "as in the entry"),
    ("race", "as in the entry"),
    ("strays", "as in the entry"),
    ("bound", "as in the entry"),
    ("margin", "as in the entry"),
    ("mean", "as in the entry"),
    ("limits", "as in the entry"),
    ("fit", "as in the entry"),
    ("reason", "as in the entry"),
];

/// `race`.
pub const RACE: Keys = &[
    ("cuts", "where a rerun's score changes, going outward"),
    ("above", "how many samples lie beyond each cut"),
    (
        "scores",
        "one more than cuts: what a rerun adds to the walk",
    ),
    ("clear", "the sum at which the doubt is cleared"),
    ("fail", "the sum at which it is a regression"),
    ("most", "reruns at most"),
];

/// `strays`.
pub const STRAYS: Keys = &[
    ("scores", "what a miss and a hit add"),
    ("fail", "the sum at which it is a regression"),
];

/// `fit`.
pub const FIT: Keys = &[
    ("threshold", "where the tail begins"),
    ("scale", "its scale, above 0"),
    ("shape", "its shape"),
    ("exceedances", "samples beyond the threshold"),
];

/// `replay`, beside a key for each run.
pub const REPLAY: Keys = &[
    ("base", "the base seed of these runs"),
    ("always", "`true` if one is replayed in every run"),
];

/// The top of a `flex.toml`, beside the options that hold for every test.
pub const CONFIG: Keys = &[
    (
        "assertion",
        "`[[assertion]]`: an assertion of the project's own, for `detect`",
    ),
    (
        "characteristic",
        "`[[characteristic]]`: a function that tells of variation, for `trace`",
    ),
    (
        "depends",
        "`[[depends]]`: what tests depend on that nothing shows, for `gate`",
    ),
    ("engine", "`[engine]`: who makes the runs of a calibration"),
    (
        "false-alarms",
        "the budget of the whole suite: `\"1 in 10000 runs\"`",
    ),
    (
        "seed",
        "`[[seed]]`: a function that seeds something, for `detect`",
    ),
    ("test", "`[[test]]`: options for some tests"),
    ("variant", "`[[variant]]`: a kind of machine"),
    ("version", "1, if it is said"),
];

/// `[[test]]`, beside the options that hold for these tests.
pub const TEST: Keys = &[
    (
        "path",
        "which tests: `*` stands for any text, `?` for any character. Required",
    ),
    (
        "target",
        "which target of cargo, in the same way: `lib`, `bin:NAME`, `test:NAME`, …",
    ),
    (
        "quarantine",
        "`{ until = \"2026-12-31\", issue = \"#12\" }`: these tests run, and cannot fail for a while",
    ),
];

/// `quarantine`.
pub const QUARANTINE: Keys = &[
    ("until", "the last day of it, `YYYY-MM-DD`"),
    ("issue", "where it is discussed"),
];

/// `[[variant]]`.
pub const VARIANT: Keys = &[
    ("name", "its name. Required"),
    ("os", "`linux`, `macos`, `windows`, …"),
    ("arch", "`x86_64`, `aarch64`, …"),
];

/// `[[assertion]]`.
pub const ASSERTION: Keys = &[
    (
        "function",
        "the function, with its module, or module and class. Required",
    ),
    ("actual", "the parameter with the value. Required"),
    ("expected", "the parameter with what it should be close to"),
    ("atol", "the parameter with an absolute tolerance"),
    ("rtol", "the parameter with a relative tolerance"),
    ("upper", "the parameter that the value stays below"),
    ("lower", "the parameter that the value stays above"),
];

/// `[[characteristic]]`.
pub const CHARACTERISTIC: Keys = &[
    (
        "function",
        "the function, with its class if it has one; `*` stands for any text. Required",
    ),
    (
        "cause",
        "`randomness`, `time`, `concurrency`, `async-wait`, `network`, `files` or `hash-order`. Required",
    ),
];

/// `[[seed]]`.
pub const SEED: Keys = &[
    ("function", "the function, with its module. Required"),
    (
        "parameter",
        "which of its parameters is the seed; without this, the first",
    ),
];

/// `[[depends]]`.
pub const DEPENDS: Keys = &[
    (
        "file",
        "the file of tests, from the top of the repository; `*` stands for any text. Required",
    ),
    ("on", "the file that it depends on. Required"),
];

/// `[engine]`.
pub const ENGINE: Keys = &[
    (
        "name",
        "`slurm`, `dask`, `ray`, `local` or `none`, as `calibrate --engine` takes it",
    ),
    (
        "shards",
        "into how many shards the runs are cut, as `calibrate --shards` takes it",
    ),
    (
        "address",
        "where the scheduler of Dask or Ray is, as `calibrate --address` takes it",
    ),
    ("partition", "Slurm: the partition of the jobs"),
    ("account", "Slurm: the account that they are charged to"),
    (
        "time",
        "Slurm: the longest that a task may take, such as `2:00:00`",
    ),
    ("memory", "Slurm: the memory of a task, such as `4G`"),
];

/// The names alone.
pub fn names(keys: Keys) -> Vec<&'static str> {
    keys.iter().map(|(name, _)| *name).collect()
}

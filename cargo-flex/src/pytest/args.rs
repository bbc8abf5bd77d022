//! Our options, worded for the command line of pytest.

use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use flex_core::seed::SeedRequest;
use flex_run::project::duration::seconds;

use crate::shards::ShardArgs;

/// Options as pytest and the plugin take them.
pub struct PytestArgs(Vec<String>);

impl PytestArgs {
    /// The options for a mode of the plugin.
    pub fn mode(mode: &str) -> Self {
        PytestArgs(vec![format!("--flex={mode}")])
    }

    /// The options for an order that the plugin is to carry out.
    pub fn ordered(kind: &str, order: &Path) -> Self {
        PytestArgs(vec![format!("--flex-{kind}={}", order.display())])
    }

    /// `--name=value`, if there is a value.
    pub fn option(&mut self, name: &str, value: Option<impl ToString>) {
        let option = value.map(|value| format!("--{name}={}", value.to_string()));
        self.0.extend(option);
    }

    /// `--name`, if it is wanted.
    pub fn flag(&mut self, name: &str, is_wanted: bool) {
        self.0.extend(is_wanted.then(|| format!("--{name}")));
    }

    /// The options that limit the runs, decide their seeds and spread them.
    pub fn runs(
        &mut self,
        most: Option<u32>,
        time: Option<Duration>,
        seed: Option<&SeedRequest>,
        jobs: Option<NonZero<usize>>,
    ) {
        self.option("flex-max-runs", most);
        let seconds = time.map(|time| format!("{:.3}s", time.as_secs_f64()));
        self.option("flex-time-budget", seconds);
        self.option("flex-seed", seed);
        self.option("numprocesses", jobs);
    }

    /// The option that says after how long a run hangs.
    pub fn timeout(&mut self, timeout: Option<Duration>) {
        self.option("flex-timeout", timeout.map(seconds));
    }

    /// The options that make a shard, or put shards together.
    pub fn shards(&mut self, shards: &ShardArgs) {
        let making = &shards.making;
        self.option("flex-shard", making.shard);
        self.option("flex-out", making.out.as_ref().map(|path| path.display()));
        let from = std::env::join_paths(&shards.from).unwrap_or_default();
        let from = from.to_string_lossy().into_owned();
        self.option("flex-from", (!from.is_empty()).then_some(from));
        self.option("flex-plan", making.plan.as_ref().map(|path| path.display()));
    }

    /// All options, and which tests they are about: those of an expression of pytest's, or of names.
    pub fn of_tests(mut self, expression: Option<&str>, names: &[String]) -> Vec<String> {
        let names = (!names.is_empty()).then(|| names.join(" or "));
        if let Some(expression) = expression.map(str::to_owned).or(names) {
            self.0.extend(["-k".to_owned(), expression]);
        }
        self.0
    }
}

//! The plan of a further round: which runs are still to be made, and who makes which.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use flex_core::visible::visible;
use flex_run::calibrate::parts_of;
use flex_run::project::part::Part;
use flex_run::text_file;
use serde::{Deserialize, Serialize};

use crate::calibrate::Wanted;
use crate::share::parts;
use crate::{Shard, TestKey};

/// The version of plan files.
pub const VERSION: u32 = 1;

/// The fewest runs that one process makes, where more are wanted.
const FEWEST_RUNS: usize = 5;

/// What a further round makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the file.
    pub version: u32,
    /// The command, such as `calibrate`.
    pub command: String,
    /// The phase of the seeds.
    pub phase: String,
    /// The base seed.
    pub base: String,
    /// The round that it is for.
    pub round: u32,
    /// All runs that are wanted, as far as they are known.
    pub runs: u64,
    /// The seconds that they take, one after the other.
    pub seconds: f64,
    /// Tests of which runs are wanted.
    pub tests: Vec<PlannedTest>,
}

/// What is wanted of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedTest {
    /// The test.
    #[serde(flatten)]
    pub key: TestKey,
    /// The seconds that a run takes; 0 if nobody knows.
    #[serde(default)]
    pub seconds_per_run: f64,
    /// Whether it begins anew.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// Runs that are samples, each from a run up to another, which is not meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<[u32; 2]>,
    /// Runs to make again, in this order, in one process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeat: Vec<u32>,
    /// Runs that confirm that the test is fixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm: Vec<u32>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a function of a reference"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Something for one process to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// A part of what the test begins with.
    Part(Part),
    /// These runs.
    Runs(Range<u32>),
    /// These runs again, in this order.
    Repeat(Vec<u32>),
    /// These, with another order of hashes.
    Confirm(Vec<u32>),
}

impl PlannedTest {
    /// What is wanted of a test.
    pub fn new(key: TestKey, wanted: &Wanted, seconds_per_run: f64) -> Self {
        let ranges = parts_of(&wanted.runs, 1);
        PlannedTest {
            key,
            seconds_per_run,
            all: wanted.all,
            runs: ranges
                .iter()
                .map(|range| [range.start, range.end])
                .collect(),
            repeat: wanted.repeat.clone().unwrap_or_default(),
            confirm: wanted.confirm.clone().unwrap_or_default(),
        }
    }

    /// The runs that are wanted, as far as they are known.
    pub fn count(&self) -> u64 {
        let runs = self
            .runs
            .iter()
            .map(|[from, to]| u64::from(to.saturating_sub(*from)));
        runs.sum::<u64>() + (self.repeat.len() + self.confirm.len()) as u64
    }

    /// What its processes make, if there are so many shards, and a test that begins anew is cut into so many parts.
    fn orders(&self, shards: u32, of: u32) -> Vec<Order> {
        let mut orders = Vec::new();
        if self.all {
            let part = |place| Part {
                place,
                of,
                most: None,
            };
            orders.extend((0..of).map(part).map(Order::Part));
        }
        // What is not believable is not made.
        let ranges = self
            .runs
            .iter()
            .filter(|[from, to]| from < to && to - from < 1 << 24);
        let runs: Vec<u32> = ranges.flat_map(|[from, to]| *from..*to).collect();
        let parts = (runs.len() / FEWEST_RUNS).clamp(1, shards as usize) as u32;
        orders.extend(parts_of(&runs, parts).into_iter().map(Order::Runs));
        if !self.repeat.is_empty() {
            orders.push(Order::Repeat(self.repeat.clone()));
        }
        if !self.confirm.is_empty() {
            orders.push(Order::Confirm(self.confirm.clone()));
        }
        orders
    }
}

impl Order {
    fn weight(&self) -> f64 {
        match self {
            Order::Part(part) => 100.0 / f64::from(part.of),
            Order::Runs(runs) => runs.len() as f64,
            Order::Repeat(runs) | Order::Confirm(runs) => runs.len() as f64,
        }
    }
}

impl Plan {
    /// What a shard makes, test by test: whatever takes longest goes first to whoever has least to do.
    pub fn share(&self, shard: Shard) -> Vec<(TestKey, Vec<Order>)> {
        self.share_in(shard, parts(shard.total(), self.tests.len()))
    }

    /// The same, if one shard begins a test anew alone.
    pub fn share_of_whole_tests(&self, shard: Shard) -> Vec<(TestKey, Vec<Order>)> {
        self.share_in(shard, 1)
    }

    fn share_in(&self, shard: Shard, of: u32) -> Vec<(TestKey, Vec<Order>)> {
        let total = shard.total();
        let mut all: Vec<(f64, usize, Order)> = Vec::new();
        for (place, test) in self.tests.iter().enumerate() {
            let seconds = match test.seconds_per_run {
                seconds if seconds.is_finite() && seconds > 0.0 => seconds,
                _ => 1.0,
            };
            let orders = test.orders(total, of).into_iter();
            all.extend(orders.map(|order| (seconds * order.weight(), place, order)));
        }
        all.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        let mut loads: Vec<f64> = vec![0.0; total as usize];
        let mut ours: Vec<(usize, Order)> = Vec::new();
        for (weight, test, order) in all {
            let least = (0..loads.len()).min_by(|a, b| loads[*a].total_cmp(&loads[*b]));
            let least = least.unwrap_or_default();
            loads[least] += weight;
            if least == shard.place() as usize {
                ours.push((test, order));
            }
        }
        ours.sort_by_key(|(test, _)| *test);
        let of_test = ours.chunk_by(|(a, _), (b, _)| a == b);
        let orders = |orders: &[(usize, Order)]| {
            let key = self.tests[orders[0].0].key.clone();
            (key, orders.iter().map(|(_, order)| order.clone()).collect())
        };
        of_test.map(orders).collect()
    }

    /// Reads a plan of any command.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let text = text_file::read_text(path).map_err(PlanError::Unreadable)?;
        Self::parse(&text.ok_or(PlanError::Missing)?)
    }

    /// Reads a plan of this command.
    pub fn read_for(path: &Path, command: &str) -> Result<Self, PlanError> {
        let plan = Self::read(path)?;
        match plan.command == command {
            true => Ok(plan),
            false => Err(PlanError::Other {
                theirs: plan.command,
                ours: command.to_owned(),
            }),
        }
    }

    fn parse(text: &str) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let found: Versioned = serde_json::from_str(text).map_err(PlanError::NoPlan)?;
        match found.version {
            VERSION => serde_json::from_str(text).map_err(PlanError::NoPlan),
            other => Err(PlanError::Version(other)),
        }
    }

    /// Writes the plan, in one step.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        let own = path.with_extension(format!("{}.tmp", std::process::id()));
        let write = || -> io::Result<()> {
            let mut file = fs::File::create(&own)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&own, path)
        };
        write().inspect_err(|_| {
            let _ = fs::remove_file(&own);
        })
    }
}

/// Why a file is not the plan that is wanted.
#[derive(Debug)]
pub enum PlanError {
    /// There is none.
    Missing,
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is something else.
    NoPlan(serde_json::Error),
    /// Another version of flex wrote it.
    Version(u32),
    /// It is for another command.
    Other {
        /// The command that it is for.
        theirs: String,
        /// The command that wants one.
        ours: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Missing => f.write_str("there is no such file"),
            PlanError::Unreadable(error) => error.fmt(f),
            PlanError::NoPlan(error) => write!(f, "it is no plan: {error}"),
            PlanError::Version(theirs) => {
                write!(f, "it has version {theirs}, and this flex reads {VERSION}")
            }
            PlanError::Other { theirs, ours } => {
                write!(f, "it is a plan for {}, not for {ours}", visible(theirs))
            }
        }
    }
}

impl std::error::Error for PlanError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(test: &str) -> TestKey {
        TestKey {
            package: "p".to_owned(),
            target: "lib".to_owned(),
            test: test.to_owned(),
            old: false,
            compared: false,
        }
    }

    fn plan() -> Plan {
        let slow = Wanted {
            runs: (100..130).chain([7]).collect(),
            repeat: Some(vec![9, 3, 0]),
            ..Wanted::default()
        };
        let new = Wanted {
            all: true,
            ..Wanted::default()
        };
        let tests = vec![
            PlannedTest::new(key("slow"), &slow, 60.0),
            PlannedTest::new(key("new"), &new, 0.0),
        ];
        Plan {
            version: VERSION,
            command: "calibrate".to_owned(),
            phase: "calibrate".to_owned(),
            base: "b".to_owned(),
            round: 2,
            runs: tests.iter().map(PlannedTest::count).sum(),
            seconds: 2040.0,
            tests,
        }
    }

    #[test]
    fn shards_make_all_that_is_wanted_once_and_share_it_evenly() {
        let plan = plan();
        assert_eq!(plan.runs, 34);
        for total in [1, 3, 4, 16] {
            let (mut runs, mut repeats, mut parts) = (Vec::new(), 0, 0);
            let mut most = 0.0_f64;
            for shard in Shard::all(total) {
                let mut load = 0.0;
                for (test, orders) in plan.share(shard) {
                    for order in orders {
                        load += order.weight() * if test == key("slow") { 60.0 } else { 1.0 };
                        match order {
                            Order::Runs(range) => runs.extend(range),
                            Order::Repeat(order) => {
                                assert_eq!(order, [9, 3, 0]);
                                repeats += 1;
                            }
                            Order::Part(_) => parts += 1,
                            Order::Confirm(_) => panic!("nothing to confirm"),
                        }
                    }
                }
                most = most.max(load);
            }
            runs.sort_unstable();
            assert_eq!(runs, [7].into_iter().chain(100..130).collect::<Vec<u32>>());
            assert_eq!((repeats, parts), (1, crate::share::parts(total, 2)));
            let even = 2140.0 / f64::from(total);
            assert!(most <= even + 600.0, "{total}: {most}");
        }
    }

    #[test]
    fn a_plan_is_read_as_it_was_written_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        plan().write(&path).unwrap();
        assert_eq!(Plan::read(&path).unwrap(), plan());
        let text = fs::read_to_string(&path).unwrap();
        let newer = text.replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(Plan::parse(&newer), Err(PlanError::Version(2))));
        for end in 0..text.trim_end().len() {
            let cut = Plan::parse(&text[..end]);
            assert!(matches!(cut, Err(PlanError::NoPlan(_))));
        }
        let missing = Plan::read(&folder.path().join("none"));
        assert!(matches!(missing, Err(PlanError::Missing)));
        assert!(matches!(
            Plan::read(folder.path()),
            Err(PlanError::Unreadable(_))
        ));
        assert_eq!(Plan::read_for(&path, "calibrate").unwrap(), plan());
        let other = Plan::read_for(&path, "detect").unwrap_err();
        assert_eq!(
            other.to_string(),
            "it is a plan for calibrate, not for detect"
        );
    }

    #[test]
    fn a_hostile_plan_asks_for_nothing_unbelievable() {
        let mut plan = plan();
        plan.tests[0].runs = vec![[0, u32::MAX], [9, 3]];
        plan.tests[0].seconds_per_run = f64::NAN;
        let shard = Shard::new(0, 1).unwrap();
        let orders = plan.share(shard).remove(0).1;
        assert!(orders.iter().all(|order| !matches!(order, Order::Runs(_))));
    }
}

//! What stands in a file, as values.

use flex_run::calibrate::Recorded;
use serde::{Deserialize, Serialize};

use crate::platform::Platform;
use crate::{Shard, TestKey};

/// What all runs of a file have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of flex.
    pub flex: String,
    /// The command that makes shards, such as `calibrate` or `gate check`.
    pub command: String,
    /// The phase, which decides seeds besides the base, such as `calibrate` or `detect`.
    pub phase: String,
    /// The base seed.
    pub base: String,
    /// Which shard it is.
    pub shard: Shard,
    /// Which round: 1 is the first, and every plan begins another.
    pub round: u32,
    /// The runs to begin with, if the command line states them.
    pub runs: Option<u32>,
    /// The runs at most, if the command line states them.
    pub max_runs: Option<u32>,
    /// The commit that the code is compared with, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// Tells this file from all others, and a copy of it from a second try.
    pub id: String,
    /// The name of the machine.
    pub host: String,
    /// The process.
    pub pid: u32,
    /// The machine.
    pub platform: Platform,
    /// The command that makes this shard.
    pub again: String,
}

/// What came of a shard that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardEnd {
    /// The runs that this process made.
    pub runs: u64,
    /// Whether time was left for all that were asked for.
    pub whole: bool,
}

/// What one process showed of one test, or of several tries where runs ended their process.
#[derive(Debug)]
pub struct Frame {
    /// The test.
    pub test: TestKey,
    /// What the runs were made for.
    pub kind: ShardKind,
    /// What they showed.
    pub content: ShardContent,
}

/// What runs were made for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShardKind {
    /// They are samples.
    Runs,
    /// They were made before, by another process, and once more in this order.
    Repeat(Vec<u32>),
    /// The same with another order of hashes, to confirm that a test is fixed.
    Confirm(Vec<u32>),
    /// They are those of the last calibration, which had this base seed.
    Replay(String),
}

/// What runs showed.
#[derive(Debug)]
pub enum ShardContent {
    /// Records of processes.
    Recorded(Recorded),
    /// A text, such as JSON, that the command knows.
    Text(String),
}

/// The first piece of a frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FrameHead {
    #[serde(flatten)]
    pub test: TestKey,
    pub kind: ShardKind,
    /// The pieces of each record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<u32>,
    /// Whether what follows is a text.
    #[serde(default, skip_serializing_if = "is_false")]
    pub text: bool,
    /// Runs that ended their process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deaths: Vec<(u32, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vanished: Option<(u32, String)>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a function of a reference"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}

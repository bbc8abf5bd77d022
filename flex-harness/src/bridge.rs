//! What a harness in another language needs: tests as plain values, and the machines that judge and calibrate them.
//!
//! Such a harness makes the runs itself. It hands what they showed to an [`Enforcement`], or writes it down with a
//! [`RecordWriter`] for [`Calibrating`](crate::calibrate::Calibrating), and holds no statistics and no file format.

pub use crate::asserted::Distance;
pub use crate::enforcement::{Enforcement, Verdict};
pub use crate::env::{Mode, Settings};
pub use crate::record::{RecordWriter, Shard, ShardHit, ShardRun};
pub use crate::replay::quoted;
pub use crate::run_record::{
    Fault, Kind, MOST_CASES, RunRecord, Seen, SiteRecord, Written, too_many_cases,
};
pub use crate::site::Ends;
pub use crate::test_record::{Commands, TestRecord, which_bounds};
pub use flex_core::options::Options;

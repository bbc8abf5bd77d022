//! Strays that were cleared: values beyond all calibrated ones, kept in a log for those who review bounds.
//!
//! One such value is chance, and a dozen of them may be a rare mode that no race can see. The log lies where files of
//! builds do, and nothing depends on it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use flex_core::seed::SeedRequest;

use super::problem::Judged;
use super::report::json::judged;
use crate::json::Object;
use crate::model::{SiteId, Test};

/// The name of the log.
pub const STRAYS_FILE: &str = "strays.jsonl";

/// A log of this many bytes grows no further.
const FULL: u64 = 1 << 20;

/// A value beyond all calibrated ones, which was cleared.
#[derive(Debug, Clone, PartialEq)]
pub struct Stray {
    test: Test,
    site: SiteId,
    judged: Judged,
    /// The command that shows it again.
    replay: String,
    /// The base seed of the calibration that it went beyond.
    base: Option<String>,
}

impl Stray {
    pub(super) fn new(
        test: &Test,
        seed: &SeedRequest,
        site: &SiteId,
        judged: Judged,
        base: Option<String>,
    ) -> Self {
        Stray {
            test: test.clone(),
            site: site.clone(),
            judged,
            replay: test.commands().replay(seed),
            base,
        }
    }

    /// The line of the log.
    pub fn json(&self) -> String {
        let mut line = Object::new();
        line.maybe_text("package", self.test.package.as_deref());
        line.maybe_text("target", self.test.id.target());
        line.text("test", self.test.name());
        line.text("site", &self.site.label());
        line.maybe_text("case", self.site.case.as_deref());
        line.maybe_text("base", self.base.as_deref());
        judged(&mut line, &self.judged);
        line.text("replay", &self.replay);
        line.end() + "\n"
    }
}

/// Adds strays to the log in a folder.
pub fn log_strays(folder: &Path, strays: &[Stray]) -> io::Result<()> {
    if strays.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    let path = folder.join(STRAYS_FILE);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if file.metadata()?.len() > FULL {
        return Ok(());
    }
    // One write, so that lines of processes beside each other do not mix.
    let lines: String = strays.iter().map(Stray::json).collect();
    file.write_all(lines.as_bytes())
}

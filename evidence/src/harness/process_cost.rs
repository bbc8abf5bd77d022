//! The cost of processes: time by the clock and of the processor.

use std::process::{Command, Stdio};
use std::time::Instant;

/// The cost of processes, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessCost {
    /// By the clock.
    pub wall: f64,
    /// Of the processor, of all processes together, where the system tells.
    pub cpu: f64,
}

impl std::ops::AddAssign for ProcessCost {
    fn add_assign(&mut self, other: ProcessCost) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

impl ProcessCost {
    /// Returns the cost of the processes that `start` runs to their end.
    pub fn of(start: impl FnOnce() -> Result<(), String>) -> Result<Self, String> {
        let (started, cpu) = (Instant::now(), children_seconds());
        start()?;
        Ok(ProcessCost {
            wall: started.elapsed().as_secs_f64(),
            cpu: children_seconds() - cpu,
        })
    }

    /// Returns the cost of so many processes, one after the other, all of which must succeed. Linux counts the processor's time
    /// in hundredths of a second, hence many.
    pub fn of_many(times: usize, command: impl Fn() -> Command) -> Result<Self, String> {
        ProcessCost::of(|| {
            for _ in 0..times {
                let mut command = command();
                command.stdout(Stdio::null()).stderr(Stdio::null());
                let status = command.status().map_err(|error| error.to_string())?;
                if !status.success() {
                    return Err(format!("{command:?} failed: {status}"));
                }
            }
            Ok(())
        })
    }
}

/// Processor seconds of all ended children and of theirs. Linux tells.
fn children_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold spaces and ends with the last parenthesis; it is field 2.
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    let (user, system) = (fields.get(13), fields.get(14));
    (user.unwrap_or(&0.0) + system.unwrap_or(&0.0)) / 100.0
}

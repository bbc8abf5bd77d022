//! What `squeue` and `sacct` say of tasks.

use std::collections::BTreeMap;

use crate::engine::scheduler::Ended;

/// The columns of `squeue --Format`, with widths that leave room.
pub const FIELDS: &str = "JobArrayID:60,State:30,exit_code:20,NodeList:200";

/// The columns of `sacct --format`.
pub const ACCOUNTED: &str = "JobID,State,ExitCode,NodeList";

/// A task, as Slurm knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub state: State,
    /// The node that it runs on, or ran on.
    pub host: Option<String>,
}

/// What became of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It waits, or waits again.
    Waits,
    Runs,
    /// The words of one that ended itself are known elsewhere.
    Over(Ended),
}

/// Reads what `squeue` prints, by task. Lines that nobody understands are left out.
pub fn of_queue(text: &str) -> BTreeMap<String, Task> {
    let task = |line: &str| {
        let mut words = line.split_whitespace();
        let (task, state, status) = (words.next()?, words.next()?, words.next()?);
        // The status is that of wait(2): a signal in the lower bits, an exit code above.
        let status: i32 = status.parse().ok()?;
        let state = state_of(state, status >> 8, status & 127);
        Some((task.to_owned(), one(state, words.next())))
    };
    text.lines().filter_map(task).collect()
}

/// Reads what `sacct --parsable2` prints, by task.
pub fn of_accounting(text: &str) -> BTreeMap<String, Task> {
    let task = |line: &str| {
        let mut words = line.split('|');
        let (task, state, status) = (words.next()?, words.next()?, words.next()?);
        let (code, signal) = status.split_once(':')?;
        // `CANCELLED by 1000`
        let state = state.split(' ').next()?;
        let state = state_of(state, code.parse().ok()?, signal.parse().ok()?);
        Some((task.to_owned(), one(state, words.next())))
    };
    text.lines().filter_map(task).collect()
}

fn one(state: State, host: Option<&str>) -> Task {
    let is_one = |host: &&str| !host.is_empty() && !host.starts_with('(') && *host != "None";
    let host = host.filter(is_one).map(str::to_owned);
    Task {
        host: host.filter(|_| state != State::Waits),
        state,
    }
}

fn state_of(state: &str, code: i32, signal: i32) -> State {
    let words = String::new();
    match state {
        "RUNNING" | "COMPLETING" | "SIGNALING" | "STAGE_OUT" | "STOPPED" | "SUSPENDED" => {
            State::Runs
        }
        "COMPLETED" => State::Over(Ended::Itself { code: 0, words }),
        "FAILED" if signal == 0 && code != 0 => State::Over(Ended::Itself { code, words }),
        "FAILED" => State::Over(Ended::Died(format!("ended by signal {signal}"))),
        "BOOT_FAIL" | "CANCELLED" | "DEADLINE" | "LAUNCH_FAILED" | "NODE_FAIL"
        | "OUT_OF_MEMORY" | "PREEMPTED" | "RECONFIG_FAIL" | "REVOKED" | "TIMEOUT" => {
            let words = format!("Slurm ended it: {state}");
            State::Over(Ended::Died(words))
        }
        // PENDING, CONFIGURING, REQUEUED, REQUEUE_HOLD, SPECIAL_EXIT, RESIZING, RESV_DEL_HOLD, …
        _ => State::Waits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn itself(code: i32) -> State {
        let words = String::new();
        State::Over(Ended::Itself { code, words })
    }

    fn died(words: &str) -> State {
        State::Over(Ended::Died(words.to_owned()))
    }

    fn task(state: State, host: Option<&str>) -> Task {
        let host = host.map(str::to_owned);
        Task { state, host }
    }

    #[test]
    fn the_queue_tells_what_became_of_tasks() {
        let text = "\
1_0      COMPLETED   0     flex1  \n\
1_5      PENDING     0            \n\
1_2      FAILED      9     flex1  \n\
1_1      FAILED      256   flex2  \n\
1_3      RUNNING     0     flex3  \n\
1_4      NODE_FAIL   0     flex4  \n\
1_6      CANCELLED   0            \n\
1_7      PENDING     0     (null) \n\
\n\
something else\n";
        let found = of_queue(text);
        assert_eq!(found.len(), 8);
        let check = |name: &str, state: State, host: Option<&str>| {
            assert_eq!(found[name], task(state, host), "{name}");
        };
        check("1_0", itself(0), Some("flex1"));
        check("1_5", State::Waits, None);
        check("1_2", died("ended by signal 9"), Some("flex1"));
        check("1_1", itself(1), Some("flex2"));
        check("1_3", State::Runs, Some("flex3"));
        check("1_4", died("Slurm ended it: NODE_FAIL"), Some("flex4"));
        check("1_6", died("Slurm ended it: CANCELLED"), None);
        check("1_7", State::Waits, None);
    }

    #[test]
    fn accounting_tells_the_same() {
        let text = "1_0|COMPLETED|0:0|flex1\n1_1|FAILED|3:0|flex2\n1_2|CANCELLED by 0|0:15|None assigned\n\
                    1_3|FAILED|0:9|n\n1_4|OUT_OF_MEMORY|0:125|n\nx|y\n";
        let found = of_accounting(text);
        assert_eq!(found.len(), 5);
        assert_eq!(found["1_0"], task(itself(0), Some("flex1")));
        assert_eq!(found["1_1"], task(itself(3), Some("flex2")));
        let cancelled = died("Slurm ended it: CANCELLED");
        assert_eq!(found["1_2"].state, cancelled);
        assert_eq!(found["1_3"].state, died("ended by signal 9"));
        assert_eq!(found["1_4"].state, died("Slurm ended it: OUT_OF_MEMORY"));
    }
}

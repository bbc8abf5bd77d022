//! Slurm: shards are tasks of job arrays (`sbatch --array`), followed by `squeue`, and by `sacct` where it is kept.
//!
//! Every task finds its shard by its index alone, and goes on where an earlier attempt at it was ended, so that whatever
//! Slurm does with it, such as requeueing it on another node, needs no help.

mod queue;
mod script;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use flex_bounds::config::EngineConfig;

use super::command::ShardCommand;
use super::handout::Attempt;
use super::scheduler::{Ended, News, Order, Scheduler};
use super::words::{last_lines, last_words};
use crate::exit::Failure;
use queue::{State, Task, of_accounting, of_queue};
use script::{batches, script};

/// The programs of Slurm may fail for so long, as when its controller is started again, before it is an error.
const PATIENCE: Duration = Duration::from_secs(300);

/// Slurm, as its programs on the PATH show it.
pub struct Slurm {
    /// What flex.toml says of jobs.
    config: EngineConfig,
    /// At most so many tasks of an array at a time.
    at_a_time: Option<usize>,
    /// Where what tasks say goes.
    said: PathBuf,
    /// Tasks, as `JOB_INDEX`, whose attempts are under way.
    tasks: BTreeMap<String, Under>,
    began: Instant,
    failing_since: Option<Instant>,
}

struct Under {
    attempt: Attempt,
    host: Option<String>,
}

impl Slurm {
    /// Slurm, if there is one.
    pub fn new(
        config: &EngineConfig,
        at_a_time: Option<usize>,
        said: PathBuf,
    ) -> Result<Self, Failure> {
        let mut command = Command::new("sinfo");
        let output = run(command.args(["--noheader", "--format=%D"]), "")?;
        if !output.status.success() {
            return Err(refused("Slurm does not answer", &output));
        }
        Ok(Slurm {
            config: config.clone(),
            at_a_time,
            said,
            tasks: BTreeMap::new(),
            began: Instant::now(),
            failing_since: None,
        })
    }

    /// The jobs with tasks under way.
    fn jobs(&self) -> String {
        let job = |task: &String| task.split('_').next().unwrap_or(task).to_owned();
        let mut jobs: Vec<String> = self.tasks.keys().map(job).collect();
        jobs.dedup();
        jobs.join(",")
    }

    /// What Slurm says of all tasks under way, as far as it knows them.
    fn look(&mut self) -> Result<Option<BTreeMap<String, Task>>, Failure> {
        let jobs = self.jobs();
        let mut queue = Command::new("squeue");
        queue
            .args(["--noheader", "--array", "--states=all", "--jobs", &jobs])
            .arg(format!("--Format={}", queue::FIELDS));
        let output = run(&mut queue, "")?;
        let is_unknown = String::from_utf8_lossy(&output.stderr).contains("Invalid job id");
        if !output.status.success() && !is_unknown {
            let since = *self.failing_since.get_or_insert_with(Instant::now);
            return match since.elapsed() > PATIENCE {
                true => Err(refused("squeue fails", &output)),
                false => Ok(None),
            };
        }
        self.failing_since = None;
        let mut known = of_queue(&String::from_utf8_lossy(&output.stdout));
        if self.tasks.keys().any(|task| !known.contains_key(task)) {
            // The queue forgets a job some minutes after its end; accounting does not, where there is any.
            let mut accounting = Command::new("sacct");
            accounting
                .args(["--noheader", "--parsable2", "--allocations", "--array"])
                .args(["--jobs", &jobs])
                .arg(format!("--format={}", queue::ACCOUNTED));
            if let Ok(output) = run(&mut accounting, "")
                && output.status.success()
            {
                for (task, found) in of_accounting(&String::from_utf8_lossy(&output.stdout)) {
                    known.entry(task).or_insert(found);
                }
            }
        }
        Ok(Some(known))
    }

    fn words_of(&self, task: &str) -> String {
        last_words(&self.said.join(format!("{task}.err")))
    }
}

impl Scheduler for Slurm {
    fn places(&self) -> Option<usize> {
        None
    }

    fn hand_out(&mut self, command: &ShardCommand, orders: &[Order]) -> Result<(), Failure> {
        for batch in batches(orders) {
            let mut sbatch = Command::new("sbatch");
            sbatch
                .args(["--parsable", "--job-name=flex", "--requeue"])
                .args(["--cpus-per-task=1", "--output=/dev/null"])
                .arg(format!("--error={}/%A_%a.err", self.said.display()))
                .arg(format!("--array={}", batch.indices(self.at_a_time)));
            if !batch.avoid.is_empty() {
                sbatch.arg(format!("--exclude={}", batch.avoid.join(",")));
            }
            sbatch.args(script::options(&self.config));
            let output = run(&mut sbatch, &script(command, batch.offset))?;
            let text = String::from_utf8_lossy(&output.stdout);
            let job = text.trim().split(';').next().unwrap_or_default();
            if !output.status.success() || job.is_empty() {
                return Err(refused("sbatch takes no job", &output));
            }
            for attempt in &batch.attempts {
                let task = format!("{job}_{}", attempt.shard - batch.offset);
                let (attempt, host) = (*attempt, None);
                self.tasks.insert(task, Under { attempt, host });
            }
        }
        Ok(())
    }

    fn withdraw(&mut self, attempts: &[Attempt]) {
        let is_one = |under: &Under| attempts.contains(&under.attempt);
        let tasks = self.tasks.iter().filter(|(_, under)| is_one(under));
        let tasks: Vec<String> = tasks.map(|(task, _)| task.clone()).collect();
        for some in tasks.chunks(200) {
            // One that has ended in between, or that nobody hears of, does no harm.
            let _ = run(Command::new("scancel").arg("--quiet").args(some), "");
        }
        self.tasks.retain(|_, under| !is_one(under));
    }

    fn news(&mut self) -> Result<Vec<News>, Failure> {
        if self.tasks.is_empty() {
            return Ok(Vec::new());
        }
        let Some(known) = self.look()? else {
            return Ok(Vec::new());
        };
        let (mut news, mut over) = (Vec::new(), Vec::new());
        for (task, under) in &mut self.tasks {
            let attempt = under.attempt;
            let Some(found) = known.get(task) else {
                let words = format!("Slurm no longer knows its task {task}");
                over.push((task.clone(), attempt, Ended::Died(words)));
                continue;
            };
            if found.host.is_some() && found.host != under.host {
                under.host.clone_from(&found.host);
                let host = found.host.clone().unwrap_or_default();
                news.push(News::Begun(attempt, host));
            }
            if let State::Over(end) = &found.state {
                over.push((task.clone(), attempt, end.clone()));
            }
        }
        for (task, attempt, mut end) in over {
            self.tasks.remove(&task);
            if let Ended::Itself { words, .. } = &mut end {
                *words = self.words_of(&task);
            }
            let _ = std::fs::remove_file(self.said.join(format!("{task}.err")));
            news.push(News::Ended(attempt, end));
        }
        Ok(news)
    }

    fn pause(&self) -> Duration {
        // Whoever waits for hours need not ask the controller every second.
        let pause = self.began.elapsed() / 50;
        pause.clamp(Duration::from_millis(300), Duration::from_secs(15))
    }

    fn under_way(&self) -> Vec<(Attempt, String)> {
        let known = |(task, under): (&String, &Under)| (under.attempt, task.clone());
        self.tasks.iter().map(known).collect()
    }

    fn find(&mut self, left: &[(Attempt, String)]) -> Result<Vec<Attempt>, Failure> {
        for (attempt, task) in left {
            let (attempt, host) = (*attempt, None);
            self.tasks.insert(task.clone(), Under { attempt, host });
        }
        if left.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.look()?.unwrap_or_default();
        let is_under_way = |task: &str| {
            known
                .get(task)
                .is_some_and(|task| !matches!(task.state, State::Over(_)))
        };
        self.tasks.retain(|task, _| is_under_way(task));
        Ok(self.tasks.values().map(|under| under.attempt).collect())
    }
}

/// Runs a program of Slurm with some input.
fn run(command: &mut Command, input: &str) -> Result<Output, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let missing = |error: std::io::Error| {
        let what = format!("cannot run {name}: {error}");
        Failure::build(what, "is this a machine that can submit jobs to Slurm?")
    };
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that ends without reading says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().map_err(missing)
}

fn refused(what: &str, output: &Output) -> Failure {
    let said = last_lines(&String::from_utf8_lossy(&output.stderr));
    Failure::build(
        format!("{what} ({}): {said}", output.status),
        "what is there is kept: the same command goes on from it",
    )
}

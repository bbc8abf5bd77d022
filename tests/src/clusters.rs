//! Calibrations by real clusters on this machine, while nodes, workers and tasks are lost: for tests, and for the evidence.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use xtask::engines::{Dask, Ray, Slurm};
use xtask::python::Python;

use crate::Said;
use crate::project::{NORMAL, Project};

const TESTS: &str = r#"
use std::time::Duration;

use clusters::{knob, normal};
use flex_harness::prelude::*;

/// Takes its time, so that something can happen in between.
fn pause() {
    std::thread::sleep(Duration::from_millis(knob("PAUSE") as u64));
}

#[stochastic_test]
fn one(rng: &mut TestRng) {
    pause();
    assert_tail_bound!(normal(rng, 0.0) < _);
}

#[stochastic_test]
fn two(rng: &mut TestRng) {
    pause();
    let value = normal(rng, 1.0);
    assert_tail_bound!(value < _);
    assert_tail_bound!(value > _, name = "low");
}
"#;

const PYTHON: &str = r#"
import os
import time

from pytest_flex import learned, stochastic


def pause():
    time.sleep(float(os.environ.get("PAUSE", "0")) / 1000)


@stochastic
def test_one(flex_rng):
    pause()
    assert abs(flex_rng.normal()) < learned()


@stochastic
def test_two(flex_rng):
    pause()
    value = flex_rng.normal()
    assert value < learned()
    assert value > learned(name="low")
"#;

/// Which of the two kinds of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectKind {
    /// Tests of cargo.
    Cargo,
    /// Tests of pytest.
    Pytest,
}

impl ProjectKind {
    /// Those that engines make shards of.
    pub const ALL: &[ProjectKind] = &[ProjectKind::Cargo, ProjectKind::Pytest];

    /// The options that name the tests.
    fn options(self) -> [&'static str; 2] {
        match self {
            ProjectKind::Cargo => ["--test", "clusters"],
            ProjectKind::Pytest => ["--pytest", "python"],
        }
    }

    fn bounds(self) -> &'static str {
        match self {
            ProjectKind::Cargo => "flex-bounds.toml",
            ProjectKind::Pytest => "python/flex-bounds.toml",
        }
    }
}

/// What was learned by a cluster, and by one machine.
#[derive(Debug)]
pub struct Learned {
    /// The bounds file of one machine, without its dates.
    pub here: String,
    /// That of the cluster.
    pub there: String,
    /// What the command said.
    pub said: Said,
}

impl Learned {
    /// Whether both are the same, byte for byte, and the command ended well.
    pub fn is_same(&self) -> bool {
        self.said.code == 0 && self.here == self.there
    }

    /// How many attempts died or failed.
    pub fn died(&self) -> usize {
        let is_one = |line: &&str| line.starts_with("warning: shard ");
        self.said.err.lines().filter(is_one).count()
    }
}

/// A project with both kinds of tests.
#[derive(Debug)]
pub struct Clusters {
    project: Project,
    python: Python,
}

impl Clusters {
    /// Makes the project, for a Python that has Dask, Ray and the plugin.
    pub fn new(python: Python) -> Self {
        let files = [
            ("src/lib.rs", NORMAL),
            ("tests/clusters.rs", TESTS),
            ("python/test_clusters.py", PYTHON),
            ("python/pytest.ini", "[pytest]\n"),
        ];
        Clusters {
            project: Project::new("clusters", "", &files),
            python,
        }
    }

    /// The command that calibrates tests under a fixed seed.
    fn calibrate(&self, kind: ProjectKind, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = self.project.command("flex-harness", env);
        command
            .args(["calibrate", "--seed", "fixed"])
            .args(kind.options())
            .args(args);
        let bin = self.python.exe.parent().expect("it is in a folder");
        path_of(&mut command, &format!("{}:", bin.display()), "");
        command
    }

    /// The bounds file without its dates, and without it from now on.
    fn take_bounds(&self, kind: ProjectKind) -> String {
        let file = self.project.path(kind.bounds());
        let text = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(file);
        let lines = text.split_inclusive('\n');
        lines
            .filter(|line| !line.starts_with("calibrated = "))
            .collect()
    }

    /// What one machine learns.
    fn here(&self, kind: ProjectKind) -> String {
        self.take_bounds(kind);
        // A run of 20 ms or more is not replayed every time, which an entry says.
        let mut command = self.calibrate(kind, &["--engine", "none"], &[("PAUSE", "30")]);
        crate::run(&mut command, "").says(0, &[]);
        let bounds = self.take_bounds(kind);
        assert_eq!(bounds.matches("[[bound]]").count(), 3, "{bounds}");
        bounds
    }

    fn learned(&self, kind: ProjectKind, here: String, said: Said) -> Learned {
        Learned {
            here,
            there: self.take_bounds(kind),
            said,
        }
    }

    /// Sixteen Slurm tasks: Slurm kills two and requeues them, and one more is killed, which flex hands out again.
    pub fn slurm_loses_tasks(&self, slurm: &Slurm, kind: ProjectKind) -> Learned {
        let here = self.here(kind);
        let submitter = start(self.on_slurm(slurm, kind));
        let tasks = wait_until("tasks", || {
            let tasks = running(slurm);
            (tasks.len() >= 12).then_some(tasks)
        });
        // What has been given to a node but not been started there misses a signal.
        let kill = ["--quiet", "--signal=KILL", "--full", &tasks[5]];
        wait_until("the end of a task", || {
            let is_told = slurm.ask("scancel", &kill).is_ok();
            (!is_told || !running(slurm).contains(&tasks[5])).then_some(())
        });
        for task in &tasks[..2] {
            slurm
                .ask("scontrol", &["requeue", task])
                .expect("it can be requeued");
        }
        self.learned(kind, here, end(submitter))
    }

    /// The same, but the submitter is killed, and a node is lost with all that ran on it.
    pub fn slurm_loses_a_node(&self, slurm: &mut Slurm, kind: ProjectKind) -> Learned {
        let here = self.here(kind);
        let mut submitter = start(self.on_slurm(slurm, kind));
        wait_until("tasks", || (running(slurm).len() >= 12).then_some(()));
        submitter.kill().expect("it can be killed");
        submitter.wait().expect("it can be waited for");
        slurm.lose_node(1).expect("it can be lost");
        let said = end(start(self.on_slurm(slurm, kind)));
        slurm.start_node(1).expect("it starts again");
        self.learned(kind, here, said)
    }

    fn on_slurm(&self, slurm: &Slurm, kind: ProjectKind) -> Command {
        let args = ["--engine", "slurm", "--shards", "16"];
        let mut command = self.calibrate(kind, &args, &[("PAUSE", "300")]);
        for (name, value) in slurm.environment() {
            match name.as_str() {
                "PATH" => path_of(&mut command, "", &format!(":{value}")),
                _ => _ = command.env(name, value),
            }
        }
        command
    }

    /// A Dask cluster of four workers, one of which is lost.
    pub fn dask_loses_a_worker(&self, kind: ProjectKind) -> Learned {
        let here = self.here(kind);
        let env = [("PAUSE", "100")];
        let mut dask = Dask::start(&self.python, 4, &env).expect("Dask starts");
        let address = dask.address.clone();
        let args = ["--engine", "dask", "--shards", "16", "--address", &address];
        let submitter = start(self.calibrate(kind, &args, &[]));
        std::thread::sleep(Duration::from_secs(4));
        dask.lose_worker(2);
        self.learned(kind, here, end(submitter))
    }

    /// A Dask cluster of three workers, one of which has no room; `None` where no such file system can be made.
    pub fn dask_has_no_room(&self, kind: ProjectKind) -> Option<Learned> {
        let full = FullDisk::new()?;
        let here = self.here(kind);
        let room = full.0.path().display().to_string();
        let env = [("PAUSE", "50")];
        let mut dask = Dask::start(&self.python, 2, &env).expect("Dask starts");
        dask.add_worker(&self.python, &[("TMPDIR", &room), ("PAUSE", "50")])
            .expect("a worker starts");
        let args = [
            "--engine",
            "dask",
            "--shards",
            "16",
            "--address",
            &dask.address,
        ];
        let said = end(start(self.calibrate(kind, &args, &[])));
        Some(self.learned(kind, here, said))
    }

    /// A Ray instance of four processors, which loses a worker.
    pub fn ray_loses_a_worker(&self, ray: &Ray, kind: ProjectKind) -> Learned {
        let here = self.here(kind);
        let args = [
            "--engine",
            "ray",
            "--shards",
            "16",
            "--address",
            &ray.address,
        ];
        // Whoever starts it on this machine finds its token in a file of his own.
        let env = [("RAY_AUTH_MODE", "token")];
        let submitter = start(self.calibrate(kind, &args, &env));
        let worker = wait_until("a worker", || ray.workers().into_iter().next());
        ray.lose_worker(worker);
        self.learned(kind, here, end(submitter))
    }

    /// A Ray instance for this project.
    pub fn start_ray(&self) -> Ray {
        Ray::start(&self.python, 4, &[("PAUSE", "100")]).expect("Ray starts")
    }
}

/// Puts folders before and after those in which a command looks for programs.
fn path_of(command: &mut Command, before: &str, after: &str) {
    let known = command.get_envs().find(|(name, _)| *name == "PATH");
    let known = known.and_then(|(_, path)| path).unwrap_or_default();
    let path = format!("{before}{}{after}", known.to_string_lossy());
    command.env("PATH", path);
}

fn start(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn end(child: Child) -> Said {
    let output = child.wait_with_output().expect("it can be waited for");
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn wait_until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(Instant::now() < until, "{what} did not come");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Tasks that run, as `JOB_INDEX`.
fn running(slurm: &Slurm) -> Vec<String> {
    let format = ["--noheader", "--array", "--states=R", "--format=%i"];
    let text = slurm.ask("squeue", &format).unwrap_or_default();
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// A file system with next to no room.
struct FullDisk(tempfile::TempDir);

impl FullDisk {
    /// Makes one, if whoever runs this may.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=8k", "tmpfs"])
            .arg(folder.path());
        let status = mount.stderr(Stdio::null()).status();
        let is_there = status.is_ok_and(|status| status.success());
        // One page is left: in a folder that takes nothing at all, Python would use another.
        if is_there {
            fs::write(folder.path().join("full"), [0; 4096]).ok()?;
        }
        is_there.then(|| FullDisk(folder))
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .arg("--lazy")
            .arg(self.0.path())
            .status();
    }
}

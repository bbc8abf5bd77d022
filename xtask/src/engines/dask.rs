//! A Dask cluster on this machine: a scheduler, and workers with a thread each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::free_port;
use super::running::{Running, wait_until};
use crate::process::target;
use crate::python::Python;

/// A cluster, which ends with this value.
#[derive(Debug)]
pub struct Dask {
    /// Where its scheduler is.
    pub address: String,
    folder: PathBuf,
    workers: Vec<Option<Running>>,
    _scheduler: Running,
}

impl Dask {
    /// Starts a scheduler, and so many workers with this in their environment.
    pub fn start(python: &Python, workers: usize, env: &[(&str, &str)]) -> Result<Self, String> {
        let folder = target().join(format!("engines/dask-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let port = free_port()?;
        let address = format!("tcp://127.0.0.1:{port}");
        let mut command = dask(python, &folder);
        command.arg("scheduler").args(ON_LOOPBACK);
        command.arg(format!("--port={port}"));
        let scheduler = Running::start(&mut command, &folder.join("scheduler"))?;
        let mut cluster = Dask {
            address,
            folder,
            workers: Vec::new(),
            _scheduler: scheduler,
        };
        for _ in 0..workers {
            cluster.add_worker(python, env)?;
        }
        let is_up = |worker: usize| {
            let said = fs::read_to_string(cluster.said(worker));
            said.is_ok_and(|said| said.contains("Registered to"))
        };
        wait_until("Dask", || (0..workers).all(is_up))?;
        Ok(cluster)
    }

    /// Starts one more worker, with this in its environment.
    pub fn add_worker(&mut self, python: &Python, env: &[(&str, &str)]) -> Result<(), String> {
        let said = self.said(self.workers.len());
        let mut command = dask(python, &self.folder);
        command
            .arg("worker")
            .arg(&self.address)
            .args(ON_LOOPBACK)
            .args(["--nthreads=1", "--no-nanny"])
            .arg(format!("--local-directory={}.d", said.display()))
            .envs(env.iter().copied());
        self.workers
            .push(Some(Running::start(&mut command, &said)?));
        Ok(())
    }

    fn said(&self, worker: usize) -> PathBuf {
        self.folder.join(format!("worker-{worker}"))
    }

    /// A worker is lost.
    pub fn lose_worker(&mut self, worker: usize) {
        if let Some(mut running) = self.workers[worker].take() {
            running.kill();
        }
    }
}

impl Drop for Dask {
    fn drop(&mut self) {
        self.workers.clear();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Everything listens on the loopback interface, what tells of workers too.
const ON_LOOPBACK: [&str; 2] = ["--host=127.0.0.1", "--dashboard-address=127.0.0.1:0"];

fn dask(python: &Python, folder: &Path) -> Command {
    let mut command = Command::new(&python.exe);
    command.args(["-m", "dask"]).current_dir(folder);
    command
}

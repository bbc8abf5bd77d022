//! A Ray instance on this machine. It listens on every interface, and is for where there is but one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::running::{Running, kill, parent, processes, read, wait_until};
use super::{followed_by, is_root, isolated};
use crate::process::target;
use crate::python::Python;

/// Starts Ray, says where it is, and ends it at the end of its input.
const KEEPER: &str = "\
import sys, ray
context = ray.init(address='local', num_cpus=int(sys.argv[1]), include_dashboard=False, _node_ip_address='127.0.0.1', \
_temp_dir=sys.argv[2], logging_level='error', log_to_driver=False)
print('address', context.address_info['gcs_address'], flush=True)
sys.stdin.read()
ray.shutdown()
";

/// An instance, which ends with this value.
#[derive(Debug)]
pub struct Ray {
    /// Where it is.
    pub address: String,
    keeper: Running,
    folder: PathBuf,
}

impl Ray {
    /// Starts an instance with so many processors, whatever the machine has, and with this in the environment of its tasks.
    pub fn start(python: &Python, processors: usize, env: &[(&str, &str)]) -> Result<Self, String> {
        Ray::start_as(python, processors, env, |command| command)
    }

    /// The same in a network of its own, which [`Ray::beside`] has commands share.
    pub fn start_apart(
        python: &Python,
        processors: usize,
        env: &[(&str, &str)],
    ) -> Result<Self, String> {
        Ray::start_as(python, processors, env, |command| isolated(&command))
    }

    fn start_as(
        python: &Python,
        processors: usize,
        env: &[(&str, &str)],
        as_it_runs: impl Fn(Command) -> Command,
    ) -> Result<Self, String> {
        // The paths of its sockets must be short.
        let folder = std::env::temp_dir().join(format!("flex-ray-{}", std::process::id()));
        let said = target().join(format!("engines/ray-{}", std::process::id()));
        fs::create_dir_all(target().join("engines")).map_err(|error| error.to_string())?;
        let mut command = Command::new(&python.exe);
        command
            .args(["-c", KEEPER, &processors.to_string()])
            .arg(&folder)
            .envs(env.iter().copied())
            .env("RAY_USAGE_STATS_ENABLED", "0");
        let keeper = Running::start(&mut as_it_runs(command), &said)?.ending_with_input();
        let address = || {
            let text = fs::read_to_string(&said).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix("address "));
            line.map(str::to_owned)
        };
        wait_until("Ray", || address().is_some())?;
        let found = address().unwrap_or_default();
        let _ = fs::remove_file(&said);
        Ok(Ray {
            address: found,
            keeper,
            folder,
        })
    }

    /// The same command in the network of an instance that has one of its own.
    pub fn beside(&self, command: &Command) -> Command {
        let mut beside = Command::new("nsenter");
        beside.arg(format!("--target={}", self.keeper.id()));
        if !is_root() {
            beside.args(["--user", "--preserve-credentials"]);
        }
        beside.args(["--net", "--"]);
        followed_by(beside, command)
    }

    /// The processes of this instance that make a shard now.
    pub fn workers(&self) -> Vec<u32> {
        let folder = self.folder.display().to_string();
        let makes = |id: &u32| read(*id, "cmdline").starts_with(b"ray::_make");
        let is_ours = |id: &u32| {
            let daemon = parent(*id)
                .map(|id| read(id, "cmdline"))
                .unwrap_or_default();
            String::from_utf8_lossy(&daemon).contains(&folder)
        };
        processes().filter(makes).filter(is_ours).collect()
    }

    /// A worker is lost.
    pub fn lose_worker(&self, worker: u32) {
        kill(worker);
    }
}

impl Drop for Ray {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

//! A Slurm cluster with several nodes on this machine: Debian's packages, unpacked below the target folder, so that nothing
//! is installed in the system and nobody needs to be root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::free_port;
use super::running::{Running, kill, parent, processes, read, wait_until};
use crate::process::{self, target};

/// The packages that are asked for; they bring what they need.
const PACKAGES: &[&str] = &["slurmctld", "slurmd", "slurm-client"];

/// Where Debian has programs, libraries and plugins.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// A cluster, which ends with this value.
#[derive(Debug)]
pub struct Slurm {
    root: PathBuf,
    folder: PathBuf,
    nodes: Vec<(String, Option<Running>)>,
    _controller: Running,
}

/// Unpacks the packages, if they are not there yet; the folder with them.
pub fn install() -> Result<PathBuf, String> {
    let folder = target().join("engines");
    let root = folder.join("slurm");
    if root.join("whole").exists() {
        return Ok(root);
    }
    let packages = folder.join("packages");
    fs::create_dir_all(packages.join("partial")).map_err(|error| error.to_string())?;
    let mut download = Command::new("apt-get");
    download
        .args(["install", "--yes", "--no-install-recommends", "--reinstall"])
        .args([
            "--download-only",
            "--option",
            "Debug::NoLocking=1",
            "--option",
        ])
        .arg(format!("Dir::Cache::archives={}", packages.display()))
        .args(PACKAGES);
    process::run(&mut download)
        .map_err(|error| format!("{error}; Slurm comes from Debian's packages"))?;
    let found = fs::read_dir(&packages).map_err(|error| error.to_string())?;
    for package in found.flatten().map(|entry| entry.path()) {
        if package.extension().is_some_and(|ending| ending == "deb") {
            process::succeed(Command::new("dpkg").arg("-x").arg(package).arg(&root))?;
        }
    }
    fs::write(root.join("whole"), "").map_err(|error| error.to_string())?;
    Ok(root)
}

impl Slurm {
    /// Starts a controller, and so many nodes with so many processors each, whatever the machine has.
    pub fn start(nodes: usize, processors: usize) -> Result<Self, String> {
        let root = install()?;
        let folder = target().join(format!("engines/slurm-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for name in ["state", "said"] {
            fs::create_dir_all(folder.join(name)).map_err(|error| error.to_string())?;
        }
        let names: Vec<String> = (1..=nodes).map(|node| format!("node{node}")).collect();
        let text = config(&root, &folder, &names, processors)?;
        fs::write(folder.join("slurm.conf"), text).map_err(|error| error.to_string())?;
        let mut controller = at(&root, &folder, "usr/sbin/slurmctld-wlm");
        let said = folder.join("said/controller");
        let controller = Running::start(controller.args(["-D", "-i"]), &said)?;
        let mut slurm = Slurm {
            root,
            folder,
            nodes: names.into_iter().map(|name| (name, None)).collect(),
            _controller: controller,
        };
        wait_until("slurmctld", || slurm.ask("scontrol", &["ping"]).is_ok())?;
        for node in 0..nodes {
            slurm.start_node(node)?;
        }
        wait_until("slurmd", || {
            let idle = slurm.ask("sinfo", &["--noheader", "--states=idle", "--format=%D"]);
            idle.is_ok_and(|idle| idle.trim() == nodes.to_string())
        })?;
        Ok(slurm)
    }

    /// Starts a node, or starts it again.
    pub fn start_node(&mut self, node: usize) -> Result<(), String> {
        let name = &self.nodes[node].0;
        fs::create_dir_all(self.folder.join(name)).map_err(|error| error.to_string())?;
        let said = self.folder.join("said").join(name);
        let mut command = at(&self.root, &self.folder, "usr/sbin/slurmd-wlm");
        command.args(["-D", "-N", name, "-d"]);
        command.arg(self.root.join("usr/sbin/slurmstepd-wlm"));
        self.nodes[node].1 = Some(Running::start(&mut command, &said)?);
        Ok(())
    }

    /// A node is lost, with all that runs on it.
    pub fn lose_node(&mut self, node: usize) -> Result<(), String> {
        let (name, running) = &mut self.nodes[node];
        let name = name.clone();
        if let Some(mut running) = running.take() {
            running.kill();
        }
        // What runs a task, and the task, do not end with the daemon of their node, as they would without power.
        let variable = format!("SLURMD_NODENAME={name}");
        let tasks: Vec<u32> = processes().filter(|id| self.has(*id, &variable)).collect();
        let mut all: Vec<u32> = tasks.iter().filter_map(|id| parent(*id)).collect();
        all.retain(|id| read(*id, "comm").starts_with(b"slurmstepd"));
        for id in all.into_iter().chain(tasks) {
            kill(id);
        }
        self.ask(
            "scontrol",
            &[
                "update",
                &format!("NodeName={name}"),
                "State=DOWN",
                "Reason=lost",
            ],
        )?;
        Ok(())
    }

    /// Whether a process is of this cluster, and has this in its environment.
    fn has(&self, id: u32, variable: &str) -> bool {
        let environment = read(id, "environ");
        let has = |wanted: &str| {
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|found| found == wanted.as_bytes())
        };
        has(&format!("SLURM_CONF={}/slurm.conf", self.folder.display())) && has(variable)
    }

    /// What programs need in their environment to use the cluster.
    pub fn environment(&self) -> Vec<(String, String)> {
        environment(&self.root, &self.folder)
    }

    /// Runs a program of Slurm; what it prints.
    pub fn ask(&self, program: &str, args: &[&str]) -> Result<String, String> {
        let mut command = at(&self.root, &self.folder, &format!("usr/bin/{program}"));
        let output = process::output(command.args(args))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(format!("{program} failed: {}", process::printed(&output))),
        }
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // What runs still is ended by its node, while there is one.
        let _ = self.ask(
            "scancel",
            &[
                "--quiet",
                "--state=RUNNING",
                "--state=PENDING",
                "--name=flex",
            ],
        );
        let is_empty = || {
            self.ask("squeue", &["--noheader"])
                .is_ok_and(|text| text.trim().is_empty())
        };
        let _ = wait_until("an empty queue", is_empty);
        self.nodes.clear();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A program of the packages, for the cluster in this folder.
fn at(root: &Path, folder: &Path, program: &str) -> Command {
    let mut command = Command::new(root.join(program));
    command.envs(environment(root, folder));
    command
}

fn environment(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let libraries = root.join(LIBRARIES);
    let path = std::env::var("PATH").unwrap_or_default();
    let text = |path: &Path| path.display().to_string();
    vec![
        ("SLURM_CONF".to_owned(), text(&folder.join("slurm.conf"))),
        (
            "LD_LIBRARY_PATH".to_owned(),
            format!(
                "{}:{}",
                text(&libraries),
                text(&libraries.join("slurm-wlm"))
            ),
        ),
        (
            "PATH".to_owned(),
            format!("{}:{path}", text(&root.join("usr/bin"))),
        ),
    ]
}

/// The configuration: all on the loopback interface, no authentication, no limits by the kernel, no accounting.
fn config(
    root: &Path,
    folder: &Path,
    names: &[String],
    processors: usize,
) -> Result<String, String> {
    let host = process::capture(Command::new("hostname").arg("-s"), "")?;
    let user = process::capture(Command::new("id").arg("-un"), "")?;
    let (host, user, folder) = (host.trim(), user.trim(), folder.display());
    let plugins = root.join(LIBRARIES).join("slurm-wlm");
    let mut text = format!(
        "\
ClusterName=flex
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={}
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
PluginDir={}
SlurmdParameters=config_overrides
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ReturnToService=2
SlurmdTimeout=30
KillWait=2
JobRequeue=1
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
",
        free_port()?,
        plugins.display()
    );
    for name in names {
        let port = free_port()?;
        text += &format!(
            "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={processors}\n"
        );
    }
    Ok(text)
}

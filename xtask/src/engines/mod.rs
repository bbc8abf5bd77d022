//! Real clusters on this machine, for tests and measurements: Slurm with several nodes from Debian's packages, Dask and Ray
//! from PyPI. All is installed below the target folder, listens on the loopback interface alone, and ends with whoever
//! started it.

mod dask;
mod ray;
mod running;
mod slurm;

use std::net::TcpListener;
use std::process::Command;

use crate::built;
use crate::plugin::{self, PACKAGES};
use crate::process;
use crate::python::Python;
pub use dask::Dask;
pub use ray::Ray;
pub use slurm::Slurm;

/// What the environment has besides what the plugin's tests need.
const ENGINES: &[&str] = &["ray"];

/// Python with Dask and Ray, below the target folder, in which the tests find the plugin.
pub fn environment() -> Result<Python, String> {
    Python::usual()?.environment("engines", &[PACKAGES, ENGINES].concat())
}

/// The same with the plugin as it is now.
pub fn python() -> Result<Python, String> {
    let python = environment()?;
    built::install(&python, &built::build()?)?;
    Ok(python)
}

/// Installs everything, and runs the tests that need it.
pub fn test() -> Result<(), String> {
    let python = environment()?;
    slurm::install()?;
    let programs = built::build()?;
    built::install(&python, &programs)?;
    let words = [
        "test",
        "--workspace",
        "--all-features",
        "--locked",
        "--test=engines",
    ];
    let mut build = process::cargo(&words);
    process::run(build.arg("--no-run"))?;
    let mut command = isolated(&process::cargo(&words));
    // One after the other: each has the machine for its cluster.
    command
        .args(["--", "--ignored", "--test-threads=1"])
        .env("CARGO_NET_OFFLINE", "true")
        .env("FLEX_PROGRAMS", &programs);
    process::run(&mut command)?;
    let words = ["-m", "pytest", "-q", "-rs", "tests/test_engines.py"];
    let mut pytest = isolated(&plugin::in_bridge(&python, &words));
    pytest
        .env("FLEX_HARNESS", programs.join("flex-harness"))
        .env(ISOLATED, "1");
    process::run(&mut pytest)
}

/// What tests know by that the network ends at this machine.
const ISOLATED: &str = "FLEX_TEST_ISOLATED";

/// The same command where the loopback interface is all the network there is: Ray listens on every interface that it finds.
fn isolated(command: &Command) -> Command {
    // A second address, without which names are not resolved.
    let up = "ip link set lo up && ip addr add 127.0.0.2/8 dev lo && exec \"$@\"";
    let mut isolated = Command::new("unshare");
    if !is_root() {
        isolated.arg("--map-root-user");
    }
    isolated.args(["--net", "sh", "-c", up, "sh"]);
    followed_by(isolated, command)
}

fn is_root() -> bool {
    let user = process::capture(Command::new("id").arg("-u"), "");
    user.is_ok_and(|user| user.trim() == "0")
}

/// A program that runs another command, with what that has for its surroundings.
fn followed_by(mut program: Command, command: &Command) -> Command {
    program.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        program.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => program.env(name, value),
            None => program.env_remove(name),
        };
    }
    program
}

/// A port of the loopback interface that is free.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    let address = listener.map_err(|error| format!("no port is free: {error}"))?;
    Ok(address.port())
}

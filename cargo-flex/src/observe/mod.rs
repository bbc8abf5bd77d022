//! Plain tests that are seen assertion by assertion, without a change of their sources: they are compiled from a copy, in
//! which an attribute stands on each of them (docs/design/search.md, "Plain tests in Rust").

mod copy;
mod harness;
mod wrapper;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Command, ExitStatus};

use flex_run::model::ProcessRecord;
use flex_run::project::env;
use flex_run::wire;
use tempfile::TempPath;

use crate::cargo::{
    CargoArgs, OBSERVED, Program, build, build_with, flex_folder, packages_by_need, target_folder,
    workspace_root,
};
use crate::exit::Failure;
use crate::terminal;
use harness::Harness;

/// Compiles a test, if cargo calls this program to do that.
pub fn act_as_compiler(args: &[OsString]) -> Option<io::Result<ExitStatus>> {
    wrapper::act_as_compiler(args)
}

/// Builds the tests, so that plain ones can be seen; as they are, where there are none, or where the copy does not build.
pub fn build_observed(args: &CargoArgs) -> Result<Vec<Program>, Failure> {
    let Some(variables) = prepared(args)? else {
        return build(args);
    };
    if let Some(programs) = build_with(args, &variables)? {
        return Ok(programs);
    }
    // Whatever is wrong with the sources themselves, cargo says now.
    let programs = build(args)?;
    writeln!(
        terminal::stderr(),
        "note: of plain tests only outcomes are known: their sources do not build in a copy of their folder"
    )?;
    Ok(programs)
}

/// The variables by which cargo builds tests from the copy; `None` if there is nothing to be seen, or no way to.
fn prepared(args: &CargoArgs) -> Result<Option<Vec<(&'static str, OsString)>>, Failure> {
    let [of_root, of_copy, of_harness, wrapper] = OBSERVED;
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let Ok(me) = std::env::current_exe() else {
        return Ok(None);
    };
    // Somebody else's wrapper does what we do not know.
    if is_set(wrapper) || is_set("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER") {
        return Ok(None);
    }
    let root = workspace_root(args.manifest_path())?;
    let target = match args.target_dir() {
        Some(target) => std::path::absolute(target)?,
        None => target_folder(args.manifest_path())?,
    };
    let folder = flex_folder(&target, &root);
    let (mut seen, others) = packages_by_need(args.manifest_path(), "flex-harness")?;
    let mut harness = None;
    let needs_harness = copy::has_plain_tests(&root, &others);
    if needs_harness {
        say_building()?;
        harness = Harness::build(args, (&root, &target), &folder.join("harness"));
        match &harness {
            Some(_) => seen.extend(others),
            None => writeln!(
                terminal::stderr(),
                "note: of plain tests in crates without flex-harness only outcomes are known: cargo cannot build it for them"
            )?,
        }
    }
    let copy = folder.join("observed");
    let library = harness.as_ref().map(Harness::library);
    // Where no copy can be made, tests are built as they are.
    if !copy::renew(&root, &copy, &seen, library).unwrap_or(false) {
        return Ok(None);
    }
    if !needs_harness {
        say_building()?;
    }
    let harness = harness.and_then(|harness| harness.to_variable());
    let of_harness = harness.map(|harness| (of_harness, harness));
    let all = [
        (of_root, root.into()),
        (of_copy, copy.into()),
        (wrapper, me.into()),
    ];
    Ok(Some(all.into_iter().chain(of_harness).collect()))
}

/// What cargo says of this build is shown at its end, if it succeeds: minutes would pass in silence.
fn say_building() -> io::Result<()> {
    let words = "building plain tests from a copy of their sources, in which assertions are seen";
    writeln!(terminal::notes(), "{words}")
}

/// Asks a process what the assertions of its plain test compare.
pub struct Question(TempPath);

impl Question {
    /// Has the command tell, as the run with this index.
    pub fn of(command: &mut Command, index: u32) -> io::Result<Self> {
        let file = tempfile::NamedTempFile::new()?.into_temp_path();
        let mut asked = OsString::from(format!("{index}:"));
        asked.push(&file);
        command.env(env::OBSERVED, asked);
        Ok(Question(file))
    }

    /// What the process told once it has ended; `None` if its test was not compiled from a copy, or ended the process.
    pub fn answer(&self) -> Option<ProcessRecord> {
        wire::read(&std::fs::read(&self.0).ok()?).ok()
    }
}

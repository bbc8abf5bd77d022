//! Plain tests that are seen assertion by assertion, without a change of their sources: they are compiled from a copy, in
//! which an attribute stands on each of them (docs/design/search.md, "Plain tests in Rust").

mod copy;
mod wrapper;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use flex_run::model::ProcessRecord;
use flex_run::project::env;
use flex_run::wire;
use tempfile::TempPath;

use crate::cargo::{
    CargoArgs, OBSERVED, Program, build, build_with, flex_folder, packages_with, target_folder,
    workspace_root,
};
use crate::exit::Failure;
use crate::terminal;

/// Compiles a test, if cargo calls this program to do that.
pub fn act_as_compiler(args: &[OsString]) -> Option<io::Result<ExitStatus>> {
    wrapper::act_as_compiler(args)
}

/// Builds the tests, so that plain ones of packages that depend on flex-harness can be seen; as they are, where there are
/// none, or where the copy does not build.
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
    let [of_root, of_copy, wrapper] = OBSERVED;
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let Ok(me) = std::env::current_exe() else {
        return Ok(None);
    };
    // Somebody else's wrapper does what we do not know.
    if is_set(wrapper) || is_set("CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER") {
        return Ok(None);
    }
    let root = workspace_root(args.manifest_path())?;
    let packages: Vec<PathBuf> = packages_with(args.manifest_path(), "flex-harness")?;
    let target = match args.target_dir() {
        Some(target) => std::path::absolute(target)?,
        None => target_folder(args.manifest_path())?,
    };
    let copy = flex_folder(&target, &root).join("observed");
    // Where no copy can be made, tests are built as they are.
    if !copy::renew(&root, &copy, &packages).unwrap_or(false) {
        return Ok(None);
    }
    Ok(Some(vec![
        (of_root, root.into()),
        (of_copy, copy.into()),
        (wrapper, me.into()),
    ]))
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

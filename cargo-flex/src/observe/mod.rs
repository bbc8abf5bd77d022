//! Plain tests that are seen assertion by assertion, without a change of their sources: they are compiled from a copy, in
//! which an attribute stands on each of them (docs/design/search.md, "Plain tests in Rust").

mod copy;
mod harness;
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
    Built, CargoArgs, OBSERVED, Program, any_reaches, build, build_with, flex_folder,
    packages_by_need, target_folder, workspace_root,
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
    let Some(sources) = Sources::of(args)? else {
        return build(args);
    };
    let harness = sources.harness(args)?;
    let Some(variables) = sources.renewed(harness.as_ref()) else {
        return build(args);
    };
    let mut built = build_with(args, &variables)?;
    // Some crates define functions of libc themselves, which probes would have to.
    if matches!(built, Built::Unlinked)
        && let Some(with_probes) = harness
        && let Some(without) = sources.built_harness(args, false)
        && with_probes.library() != without.library()
        && let Some(variables) = sources.renewed(Some(&without))
    {
        built = build_with(args, &variables)?;
        if matches!(built, Built::Programs(_)) {
            writeln!(
                terminal::stderr(),
                "note: what plain tests touch is not known, so that none is shown to be fixed: a crate does not link with probes"
            )?;
        }
    }
    if let Built::Programs(programs) = built {
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

/// The sources of a workspace with plain tests, and where their copy is to be.
struct Sources {
    root: PathBuf,
    target: PathBuf,
    /// The folder that flex has in the target folder.
    folder: PathBuf,
    /// This program.
    me: PathBuf,
    /// The folders of packages that depend on flex-harness, and those of the others.
    with_harness: Vec<PathBuf>,
    without_harness: Vec<PathBuf>,
}

impl Sources {
    /// Those that are to be built; `None` if there is nothing to be seen, or no way to.
    fn of(args: &CargoArgs) -> Result<Option<Self>, Failure> {
        let [.., wrapper] = OBSERVED;
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
        let (with_harness, mut without_harness) = packages_by_need(args.manifest_path(), HARNESS)?;
        if !copy::has_plain_tests(&root, &without_harness) {
            without_harness.clear();
        }
        if without_harness.is_empty() && !copy::has_plain_tests(&root, &with_harness) {
            return Ok(None);
        }
        say_building()?;
        Ok(Some(Sources {
            folder: flex_folder(&target, &root),
            root,
            target,
            me,
            with_harness,
            without_harness,
        }))
    }

    /// The build of flex-harness for those that do not depend on it; `None` if there are none, or it cannot be had.
    fn harness(&self, args: &CargoArgs) -> Result<Option<Harness>, Failure> {
        if self.without_harness.is_empty() {
            return Ok(None);
        }
        // Where another crate brings one of its own, each function of libc may be replaced by either of both.
        let built = match any_reaches(args, &self.without_harness, HARNESS) {
            true => None,
            false => self.built_harness(args, true),
        };
        let built = built.or_else(|| self.built_harness(args, false));
        if built.is_none() {
            writeln!(
                terminal::stderr(),
                "note: of plain tests in crates without flex-harness only outcomes are known: cargo cannot build it for them"
            )?;
        }
        Ok(built)
    }

    fn built_harness(&self, args: &CargoArgs, with_probes: bool) -> Option<Harness> {
        let folders = (self.root.as_path(), self.target.as_path());
        Harness::build(args, folders, &self.folder.join("harness"), with_probes)
    }

    /// Renews the copy; the variables by which cargo builds tests from it, or `None` where no copy can be made.
    fn renewed(&self, harness: Option<&Harness>) -> Option<Vec<Variable>> {
        let [of_root, of_copy, of_harness, wrapper] = OBSERVED;
        let mut seen = self.with_harness.clone();
        if harness.is_some() {
            seen.extend_from_slice(&self.without_harness);
        }
        let copy = self.folder.join("observed");
        let library = harness.map(Harness::library);
        if !copy::renew(&self.root, &copy, &seen, library).unwrap_or(false) {
            return None;
        }
        let harness = harness.and_then(Harness::to_variable);
        let of_harness = harness.map(|harness| (of_harness, harness));
        let all = [
            (of_root, self.root.clone().into()),
            (of_copy, copy.into()),
            (wrapper, self.me.clone().into()),
        ];
        Some(all.into_iter().chain(of_harness).collect())
    }
}

/// A variable of the environment.
type Variable = (&'static str, OsString);

/// The library that records what assertions compare.
const HARNESS: &str = "flex-harness";

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

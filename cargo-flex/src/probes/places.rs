//! Lines of sources, by addresses in a program: its debugging information tells, where there is any.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, RunTimeEndian, SectionId};
use flex_run::model::{FirstStack, Place, Probe};
use object::{File, Object, ObjectSection};

use crate::session::locked;

/// Finds the lines of a project's own sources.
pub struct Places {
    /// The folder that places are relative to.
    root: PathBuf,
    programs: Mutex<BTreeMap<PathBuf, Option<Lines>>>,
}

type Lines = Context<EndianSlice<'static, RunTimeEndian>>;

impl Places {
    /// Places relative to the folder of a workspace.
    pub fn new(root: &Path) -> Self {
        Places {
            root: root.to_owned(),
            programs: Mutex::default(),
        }
    }

    /// What was touched, with the place of each that is known: the nearest line in the workspace.
    pub fn located(&self, exe: &Path, probe: &Probe, stacks: &[FirstStack]) -> Probe {
        let located = probe.touches().iter().map(|touch| {
            let mut touch = touch.clone();
            if touch.place.is_none() {
                let mut stacks = stacks.iter().filter(|stack| stack.what == touch.what);
                touch.place = stacks.find_map(|stack| self.place(exe, stack));
            }
            touch
        });
        located.collect()
    }

    fn place(&self, exe: &Path, stack: &FirstStack) -> Option<Place> {
        let mut programs = locked(&self.programs);
        let lines = programs
            .entry(exe.to_owned())
            .or_insert_with(|| lines_of(exe));
        let lines = lines.as_ref()?;
        stack.frames.iter().find_map(|address| {
            let mut frames = lines.find_frames(*address).skip_all_loads().ok()?;
            while let Ok(Some(frame)) = frames.next() {
                let place = frame.location.and_then(|at| self.own(at.file?, at.line?));
                if place.is_some() {
                    return place;
                }
            }
            None
        })
    }

    /// The place, if the file is one of the workspace's own.
    fn own(&self, file: &str, line: u32) -> Option<Place> {
        let file = Path::new(file).strip_prefix(&self.root).ok()?;
        // Crates that a project brings with it, and what a build script wrote, are not its own sources.
        let is_foreign = |part: &Path| {
            let mut parts = file.iter().map(Path::new);
            parts.any(|known| known == part)
        };
        let foreign = ["target", "vendor", ".cargo"];
        let is_own = !foreign.iter().any(|part| is_foreign(Path::new(part)));
        is_own.then(|| Place::new(file.display().to_string(), line))
    }
}

/// What a program knows of its lines; `None` if that is nothing.
fn lines_of(exe: &Path) -> Option<Lines> {
    // The programs of a session are few, and asked until it ends.
    let bytes: &'static [u8] = fs::read(exe).ok()?.leak();
    let file = File::parse(bytes).ok()?;
    let endian = match file.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let section = |id: SectionId| -> Result<_, object::Error> {
        let section = file.section_by_name(id.name());
        let bytes = section.and_then(|section| section.data().ok());
        Ok(EndianSlice::new(bytes.unwrap_or_default(), endian))
    };
    Context::from_dwarf(Dwarf::load(section).ok()?).ok()
}

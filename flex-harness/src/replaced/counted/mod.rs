//! Functions of libc by which a run touches what can differ from run to run. They count that, and call libc's.

mod called;
mod calls;
mod real;
mod threads;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use flex_run::project::target_folder_of;

use crate::probe::{Folders, LONGEST, TouchKind};

pub(super) use threads::{at_start, can_watch};

/// The folders whose files belong to the tests of this process.
static FOLDERS: OnceLock<Folders> = OnceLock::new();

/// Files in the folder of the package, in the target folder and in temporary folders belong to tests; this is said before
/// the first run.
pub(super) fn prepare(package: &Path) {
    FOLDERS.get_or_init(|| {
        let temporary = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
        let target = std::env::current_exe().ok();
        let target = target.as_deref().and_then(target_folder_of);
        let target = target.map(Path::to_owned);
        let stated: Vec<PathBuf> = [package.to_owned()]
            .into_iter()
            .chain(temporary)
            .chain(target)
            .collect();
        let real = stated.iter().filter_map(|path| path.canonicalize().ok());
        let real: Vec<PathBuf> = real.collect();
        let current = std::env::current_dir().unwrap_or_default();
        Folders::new(stated.into_iter().chain(real), current)
    });
}

/// Whether the process has left the folder that it was in when this was asked for first.
static HAS_MOVED: AtomicBool = AtomicBool::new(false);

/// What opening a path touches; a relative one counts from the folder of the process.
fn opened(path: &[u8]) -> Option<TouchKind> {
    let Some(folders) = FOLDERS.get() else {
        return Some(TouchKind::File);
    };
    if path.starts_with(b"/") || !HAS_MOVED.load(Ordering::Relaxed) {
        return folders.kind_of(path);
    }
    let mut folder = [0u8; LONGEST];
    // SAFETY: so many bytes can be written there.
    let found = unsafe { libc::getcwd(folder.as_mut_ptr().cast(), folder.len()) };
    if found.is_null() {
        return Some(TouchKind::File);
    }
    let length = folder.iter().position(|byte| *byte == 0).unwrap_or(0);
    folders.kind_from(&folder[..length], path)
}

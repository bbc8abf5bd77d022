//! Which files belong to a run: those of its package, of the target folder and of temporary folders, and those that stand
//! for the process itself. All others may be changed by somebody else.
//!
//! Nothing here asks for memory.

use std::path::{Path, PathBuf};

use super::kind::TouchKind;

/// The folders whose files belong to a run.
#[derive(Debug)]
pub(crate) struct Folders {
    own: Vec<PathBuf>,
    /// The folder that the process is in.
    current: PathBuf,
}

/// Longer paths are taken for foreign ones.
pub(crate) const LONGEST: usize = 1024;

/// Files that are the process itself, or nothing.
const OWN: [&[u8]; 8] = [
    b"/proc/self",
    b"/proc/thread-self",
    b"/dev/null",
    b"/dev/zero",
    b"/dev/full",
    b"/dev/fd",
    b"/dev/shm",
    b"/dev/std",
];

const RANDOM: [&[u8]; 4] = [
    b"/dev/urandom",
    b"/dev/random",
    b"/dev/hwrng",
    b"/dev/srandom",
];

impl Folders {
    /// These folders, for a process that is in `current`.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>, current: PathBuf) -> Self {
        let is_useful = |folder: &PathBuf| folder.is_absolute() && folder.parent().is_some();
        Folders {
            own: folders.into_iter().filter(is_useful).collect(),
            current,
        }
    }

    /// What opening a path touches; `None` if it belongs to the run.
    pub fn kind_of(&self, path: &[u8]) -> Option<TouchKind> {
        self.kind_from(bytes_of(&self.current), path)
    }

    /// The same for a process that has gone to another folder.
    pub fn kind_from(&self, folder: &[u8], path: &[u8]) -> Option<TouchKind> {
        let mut whole = Whole {
            bytes: [0; LONGEST],
            length: 0,
        };
        if !path.starts_with(b"/") && !whole.append(folder) || !whole.append(path) {
            return Some(TouchKind::File);
        }
        let path = &whole.bytes[..whole.length];
        if RANDOM.contains(&path) {
            return Some(TouchKind::RandomDevice);
        }
        let is_own = |own: &&[u8]| is_in(path, own) || *own == b"/dev/std" && path.starts_with(own);
        match OWN.iter().any(is_own) || self.hold(path) {
            true => None,
            false => Some(TouchKind::File),
        }
    }

    fn hold(&self, path: &[u8]) -> bool {
        let is_within = |folder: &PathBuf| is_in(path, bytes_of(folder));
        self.own.iter().any(is_within)
    }
}

fn bytes_of(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes()
}

/// An absolute path without `.`, `..` and doubled slashes.
struct Whole {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Whole {
    /// Adds the parts of a path; `false` if they are too many.
    fn append(&mut self, path: &[u8]) -> bool {
        for part in path.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    let known = &self.bytes[..self.length];
                    self.length = known.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                }
                part => {
                    let end = self.length + 1 + part.len();
                    let Some(room) = self.bytes.get_mut(self.length..end) else {
                        return false;
                    };
                    room[0] = b'/';
                    room[1..].copy_from_slice(part);
                    self.length = end;
                }
            }
        }
        true
    }
}

fn is_in(path: &[u8], folder: &[u8]) -> bool {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_package_and_of_the_process_belong_to_a_run() {
        let own = ["/code/package".into(), "/tmp".into(), "/".into()];
        let folders = Folders::new(own, "/code/package/tests".into());
        let check = |path: &str, expected| {
            assert_eq!(folders.kind_of(path.as_bytes()), expected, "{path}");
        };
        assert_eq!(folders.kind_from(b"/etc", b"hosts"), Some(TouchKind::File));
        assert_eq!(folders.kind_from(b"/etc", b"/tmp/a"), None);
        for own in [
            "data.csv",
            "../src/lib.rs",
            "/code/package/tests/data.csv",
            "/code//package/./a",
            "/tmp/x/y",
            "/tmp",
            "/proc/self/maps",
            "/dev/null",
            "/dev/stdout",
        ] {
            check(own, None);
        }
        for foreign in [
            "../../other/a",
            "/code/package-2/a",
            "/etc/hosts",
            "/tmp/../etc/hosts",
            "/proc/1/maps",
            "/proc/self/../stat",
            "/",
            "",
        ] {
            let expected = (!foreign.is_empty()).then_some(TouchKind::File);
            check(foreign, expected);
        }
        check("/dev/urandom", Some(TouchKind::RandomDevice));
        check(&"x/".repeat(3000), Some(TouchKind::File));
    }
}

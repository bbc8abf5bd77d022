//! What Python itself announces: files, sockets, processes.

use std::ffi::CStr;

use flex_run::model::Cause;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::files::{File, file, path_of};
use super::watch::{self, SeenEvent};

/// Whether an event whose name begins with these two bytes can say something about variation. Most cannot, and some
/// programs cause hundreds of thousands of them: `builtins.id`, `object.__getattr__`, `import`.
pub fn may_tell(first: u8, second: u8) -> bool {
    matches!(
        (first, second),
        (b'o', b'p' | b's') | (b's', b'o' | b'u' | b'q' | b'i') | (b'p', b't') | (b'_', b'w')
    )
}

/// Whether an event of this name is one of those that pytest itself causes in each test: `os.putenv`, `os.unsetenv`.
pub fn is_of_environment(event: &CStr) -> bool {
    event.to_bytes().ends_with(b"env")
}

/// Takes an audit event of Python, in a run.
pub fn audited(event: &str, arguments: &Bound<'_, PyTuple>) {
    if let Some(seen) = seen(event, arguments) {
        watch::announced(arguments.py(), event, seen);
    }
}

/// What an event says about variation, if it says something.
fn seen(event: &str, arguments: &Bound<'_, PyTuple>) -> Option<SeenEvent> {
    let plain = |cause, what: &'static str| Some(SeenEvent::new(cause, what));
    match event {
        "open" => {
            let path = arguments.get_item(0).ok()?;
            of_file(&path, is_written(arguments), "file")
        }
        "os.listdir" | "os.scandir" => of_file(&arguments.get_item(0).ok()?, false, "folder"),
        // Relative to a folder that is open already, and that was seen to be opened.
        "os.remove" | "os.rmdir" if is_relative(arguments, 1) => None,
        "os.mkdir" | "os.rename" if is_relative(arguments, 2) => None,
        "os.remove" | "os.rmdir" | "os.mkdir" | "os.rename" | "os.truncate" => {
            of_file(&arguments.get_item(0).ok()?, true, "file")
        }
        "sqlite3.connect" => {
            let path = arguments.get_item(0).ok()?;
            let name = path_of(&path)?;
            let name = name.to_string_lossy();
            let is_memory = name.is_empty() || name.contains(":memory:");
            if is_memory {
                None
            } else {
                of_file(&path, true, "database")
            }
        }
        "os.fork"
        | "os.forkpty"
        | "os.posix_spawn"
        | "subprocess.Popen"
        | "os.system"
        | "os.exec"
        | "os.spawn"
        | "_winapi.CreateProcess"
        | "pty.spawn" => plain(Cause::Concurrency, "process start"),
        "os.kill" | "os.killpg" | "signal.pthread_kill" => plain(Cause::Concurrency, "signal"),
        "socket.getaddrinfo"
        | "socket.gethostbyname"
        | "socket.gethostbyaddr"
        | "socket.getnameinfo"
        | "socket.gethostname"
        | "socket.getservbyname"
        | "socket.getservbyport" => plain(Cause::Network, "name look-up"),
        "socket.__new__" => plain(Cause::Network, "socket"),
        "socket.connect" | "socket.bind" | "socket.sendto" | "socket.sendmsg" => {
            plain(Cause::Network, "connection")
        }
        _ => None,
    }
}

fn of_file(path: &Bound<'_, PyAny>, is_changed: bool, kind: &'static str) -> Option<SeenEvent> {
    match file(path, is_changed)? {
        File::Known => None,
        File::Entropy => Some(SeenEvent::new(Cause::Randomness, "/dev/urandom")),
        File::Changed(path) => Some(SeenEvent {
            detail: Some(path),
            ..SeenEvent::new(Cause::Files, format!("{kind} changed in the project"))
        }),
        File::Outside(path) => Some(SeenEvent {
            detail: Some(path),
            ..SeenEvent::new(Cause::Files, kind)
        }),
    }
}

/// Whether there is an open folder in this place of the arguments.
fn is_relative(arguments: &Bound<'_, PyTuple>, place: usize) -> bool {
    let folder = arguments.get_item(place).ok();
    folder.is_some_and(|folder| folder.extract::<i64>().is_ok_and(|folder| folder >= 0))
}

/// Whether a file is opened to be written, by its mode or its flags.
fn is_written(arguments: &Bound<'_, PyTuple>) -> bool {
    let mode = arguments.get_item(1).ok();
    let by_mode = mode.and_then(|mode| mode.extract::<String>().ok());
    match by_mode {
        Some(mode) => mode.contains(['w', 'a', 'x', '+']),
        // `O_WRONLY` and `O_RDWR` are 1 and 2 everywhere.
        None => {
            let flags = arguments.get_item(2).ok();
            flags
                .and_then(|flags| flags.extract::<i64>().ok())
                .is_some_and(|flags| flags & 3 != 0)
        }
    }
}

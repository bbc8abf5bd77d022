//! The start of threads: one that a run starts is counted, and that on which libtest runs a plain test is watched.

use std::fs;
use std::mem::transmute;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use flex_run::project::env;
use flex_run::wire;
use libc::{c_int, c_void};

use super::called::are_called;
use super::prepare;
use super::real::Real;
use crate::probe::{self, TouchKind};
use crate::replaced::stack::{program, touch};

/// Where the process writes what its only test touches, if it is asked to.
static FILE: OnceLock<PathBuf> = OnceLock::new();
/// The next thread to start is that of the test.
static IS_NEXT: AtomicBool = AtomicBool::new(false);
/// Threads that were started by threads that are not watched, beside that of the test.
static OTHERS: AtomicU32 = AtomicU32::new(0);

type Body = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// Reads the environment, before any thread can start.
pub(in crate::replaced) fn at_start() {
    let Some(file) = env::probe() else { return };
    // A program that the test starts must not write there.
    // SAFETY: before `main` there is one thread.
    unsafe { std::env::remove_var(env::PROBE) };
    if !can_watch() {
        return;
    }
    prepare(&env::package_folder("."));
    if FILE.set(file).is_ok() {
        probe::start();
        IS_NEXT.store(true, Ordering::Relaxed);
    }
}

/// Whether the program finds our functions where it looks for libc's, and calls them.
pub(in crate::replaced) fn can_watch() -> bool {
    static CAN_WATCH: OnceLock<bool> = OnceLock::new();
    *CAN_WATCH.get_or_init(|| {
        // SAFETY: the name ends with a zero, and is only read.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"pthread_create".as_ptr()) };
        found.cast_const() == pthread_create as *const c_void
            && crate::replaced::entropy::is_found()
            && are_called()
    })
}

/// Replaces `pthread_create(3)` of libc.
///
/// # Safety
///
/// As for libc's.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_create(
    thread: *mut c_void,
    attributes: *const c_void,
    body: Body,
    argument: *mut c_void,
) -> c_int {
    static REAL: Real = Real::new(c"pthread_create");
    // SAFETY: this is the signature of the function with this name.
    let real: unsafe extern "C-unwind" fn(*mut c_void, *const c_void, Body, *mut c_void) -> c_int =
        unsafe { transmute(REAL.address()) };
    touch(TouchKind::ThreadStart);
    if !probe::is_watched() && FILE.get().is_some() {
        if IS_NEXT.swap(false, Ordering::Relaxed) {
            let test = Box::into_raw(Box::new((body, argument)));
            // SAFETY: `run_test` takes what it is given here; all else is as it was asked for.
            let failed = unsafe { real(thread, attributes, run_test, test.cast()) };
            if failed != 0 {
                // SAFETY: no thread was started that could have taken it.
                drop(unsafe { Box::from_raw(test) });
            }
            return failed;
        }
        OTHERS.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: whoever calls promises what libc asks for.
    unsafe { real(thread, attributes, body, argument) }
}

/// The thread on which libtest runs a test, from its first to its last instruction.
extern "C-unwind" fn run_test(test: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` above made this, for this thread alone.
    let (body, argument) = *unsafe { Box::from_raw(test.cast::<(Body, *mut c_void)>()) };
    let process = std::process::id();
    let end = probe::watched(|| body(argument));
    let (probe, stacks) = probe::seen(program());
    let starts_threads = |what: &str| probe.touches().iter().any(|touch| touch.what == what);
    let is_doubtful =
        OTHERS.load(Ordering::Relaxed) > 0 && !starts_threads(TouchKind::ThreadStart.what());
    if let Some(file) = FILE.get()
        && !is_doubtful
        && is_thread_of_test()
        && process == std::process::id()
    {
        write(file, &wire::probe_bytes(&probe, &stacks));
    }
    end
}

/// Whether this thread goes by the name of a test that the command line asks for, as libtest names it.
fn is_thread_of_test() -> bool {
    let mut name = [0u8; 16];
    // SAFETY: so many bytes can be written there.
    let failed = unsafe {
        libc::pthread_getname_np(libc::pthread_self(), name.as_mut_ptr().cast(), name.len())
    };
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(0);
    let name = &name[..length];
    failed == 0
        && std::env::args_os().skip(1).any(|argument| {
            let argument = argument.as_encoded_bytes();
            &argument[..argument.len().min(15)] == name
        })
}

fn write(file: &Path, bytes: &[u8]) {
    // Whoever finds no file, or a part of one, knows nothing of the test.
    let _ = fs::write(file, bytes);
}

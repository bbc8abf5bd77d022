//! Clocks, waiting, the network, files and processes.

use std::ffi::CStr;
use std::mem::transmute;
use std::sync::atomic::Ordering;

use libc::{c_char, c_int, c_long, c_uint, c_ulong, c_void, mode_t, pid_t, time_t};

use super::real::Real;
use super::{HAS_MOVED, opened};
use crate::probe::{self, TouchKind};
use crate::replaced::entropy::kernel;
use crate::replaced::stack::{count, touch};

/// Defines functions of libc that count what they stand for, and then do it. All have C's signature: pointers are handed
/// on as they are, and the numbers of arguments that vary are at most these.
macro_rules! counted {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $counts:expr })*) => {$(
        /// Replaces the function of libc of this name.
        ///
        /// # Safety
        ///
        /// As for libc's.
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($argument: $type),*) -> $result {
            static REAL: Real = Real::new(match CStr::from_bytes_with_nul(
                concat!(stringify!($name), "\0").as_bytes(),
            ) {
                Ok(name) => name,
                Err(_) => panic!("a name has no zero"),
            });
            $counts;
            // SAFETY: this is the signature of the function with this name.
            let real: unsafe extern "C-unwind" fn($($type),*) -> $result =
                unsafe { transmute(REAL.address()) };
            // SAFETY: whoever calls promises what libc asks for.
            unsafe { real($($argument),*) }
        }
    )*};
}

counted! {
    clock_gettime(clock: c_int, time: *mut c_void) -> c_int { touch(kind_of_clock(clock)) }
    gettimeofday(time: *mut c_void, zone: *mut c_void) -> c_int { touch(TouchKind::WallClock) }
    time(time: *mut time_t) -> time_t { touch(TouchKind::WallClock) }
    clock() -> c_long { touch(TouchKind::MonotonicClock) }

    nanosleep(asked: *const c_void, left: *mut c_void) -> c_int { touch(TouchKind::Sleep) }
    clock_nanosleep(clock: c_int, flags: c_int, asked: *const c_void, left: *mut c_void) -> c_int {
        touch(TouchKind::Sleep)
    }
    usleep(micros: c_uint) -> c_int { touch(TouchKind::Sleep) }
    sleep(seconds: c_uint) -> c_uint { touch(TouchKind::Sleep) }
    poll(files: *mut c_void, count: c_ulong, millis: c_int) -> c_int { touch(TouchKind::EventWait) }
    ppoll(files: *mut c_void, count: c_ulong, time: *const c_void, mask: *const c_void) -> c_int {
        touch(TouchKind::EventWait)
    }
    select(count: c_int, read: *mut c_void, write: *mut c_void, other: *mut c_void, time: *mut c_void) -> c_int {
        touch(TouchKind::EventWait)
    }
    epoll_wait(poll: c_int, events: *mut c_void, most: c_int, millis: c_int) -> c_int {
        touch(TouchKind::EventWait)
    }
    epoll_pwait(poll: c_int, events: *mut c_void, most: c_int, millis: c_int, mask: *const c_void) -> c_int {
        touch(TouchKind::EventWait)
    }

    socket(family: c_int, kind: c_int, protocol: c_int) -> c_int { touch(TouchKind::Socket) }
    socketpair(family: c_int, kind: c_int, protocol: c_int, pair: *mut c_int) -> c_int {
        touch(TouchKind::Socket)
    }
    getaddrinfo(node: *const c_char, service: *const c_char, hints: *const c_void, found: *mut c_void) -> c_int {
        touch(TouchKind::NameLookup)
    }
    gethostbyname(name: *const c_char) -> *mut c_void { touch(TouchKind::NameLookup) }

    fork() -> pid_t { touch(TouchKind::ProcessStart) }
    posix_spawn(pid: *mut pid_t, path: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void) -> c_int {
        touch(TouchKind::ProcessStart)
    }
    posix_spawnp(pid: *mut pid_t, file: *const c_char, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void) -> c_int {
        touch(TouchKind::ProcessStart)
    }
    system(command: *const c_char) -> c_int { touch(TouchKind::ProcessStart) }
    popen(command: *const c_char, mode: *const c_char) -> *mut c_void { touch(TouchKind::ProcessStart) }
    getpid() -> pid_t { touch(TouchKind::ProcessId) }

    open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int { touch_file(path) }
    open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int { touch_file(path) }
    openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        touch_file_in(folder, path)
    }
    openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
        touch_file_in(folder, path)
    }
    creat(path: *const c_char, mode: mode_t) -> c_int { touch_file(path) }
    creat64(path: *const c_char, mode: mode_t) -> c_int { touch_file(path) }
    fopen(path: *const c_char, mode: *const c_char) -> *mut c_void { touch_file(path) }
    fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void { touch_file(path) }
    opendir(path: *const c_char) -> *mut c_void { touch_file(path) }
    chdir(path: *const c_char) -> c_int { HAS_MOVED.store(true, Ordering::Relaxed) }
    fchdir(folder: c_int) -> c_int { HAS_MOVED.store(true, Ordering::Relaxed) }
}

/// Replaces `statx(2)` of libc, by which std asks for what is known of a file. Older libraries do not have it, so that
/// the kernel is asked.
///
/// # Safety
///
/// As for libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn statx(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    found: *mut c_void,
) -> c_int {
    touch_file_in(folder, path);
    let (path, found) = (path as c_long, found as c_long);
    let (folder, flags, mask) = (folder.into(), flags.into(), mask.into());
    // SAFETY: these are the arguments of this system call, which asks for the same promise.
    let answer = unsafe { kernel(libc::SYS_statx, folder, path, flags, mask, found, 0) };
    answer as c_int
}

fn kind_of_clock(clock: c_int) -> TouchKind {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
            TouchKind::WallClock
        }
        _ => TouchKind::MonotonicClock,
    }
}

/// Counts a file that does not belong to the run.
#[inline]
fn touch_file(path: *const c_char) {
    if probe::is_watched() {
        count_file(path);
    }
}

/// The same where a relative path may count from an open folder, which was counted when it was opened.
#[inline]
fn touch_file_in(folder: c_int, path: *const c_char) {
    if !probe::is_watched() || path.is_null() {
        return;
    }
    // SAFETY: whoever calls promises a text.
    let bytes = unsafe { CStr::from_ptr(path) }.to_bytes();
    let leaves =
        bytes.starts_with(b"/") || bytes.split(|byte| *byte == b'/').any(|part| part == b"..");
    // An empty path is the open file itself.
    if (folder == libc::AT_FDCWD || leaves) && !bytes.is_empty() {
        count_file(path);
    }
}

#[cold]
fn count_file(path: *const c_char) {
    if path.is_null() {
        return;
    }
    // SAFETY: whoever calls promises a text.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if let Some(kind) = opened(path) {
        count(kind, path);
    }
}

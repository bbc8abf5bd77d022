//! The stack of whoever touches something first. Nothing here asks for memory, since an allocator may be the caller.

use std::sync::atomic::{AtomicUsize, Ordering};

use libc::{c_int, c_void, dl_phdr_info, size_t};

use crate::probe::{self, Stack, TouchKind};

/// Counts what this thread does, if it is watched.
#[inline]
pub(super) fn touch(kind: TouchKind) {
    if probe::is_watched() {
        count(kind, b"");
    }
}

/// Counts what this thread does, which is watched; of a file, its path.
pub(super) fn count(kind: TouchKind, path: &[u8]) {
    if probe::touched(kind) {
        first(kind, path);
    }
}

#[cold]
fn first(kind: TouchKind, path: &[u8]) {
    // SAFETY: libc gives every thread its own `errno`, always there.
    let errno = unsafe { *libc::__errno_location() };
    let stack = probe::unwatched(captured);
    probe::keep_stack(kind, &stack, path);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

// Of the library by which Rust unwinds, and which is therefore there.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

fn captured() -> Stack {
    const GO_ON: c_int = 0;
    const STOP: c_int = 5;
    extern "C" fn each(context: *mut c_void, stack: *mut c_void) -> c_int {
        // SAFETY: the unwinder hands on what `captured` gave it, which nobody else uses meanwhile, and a context.
        let (stack, address) = unsafe { (&mut *stack.cast::<Stack>(), _Unwind_GetIP(context)) };
        // It is where the call returns to; the call stands before it.
        if address != 0 && stack.push(address - 1) {
            GO_ON
        } else {
            STOP
        }
    }
    let mut stack = Stack::EMPTY;
    // SAFETY: `each` takes what it is given here, and the stack outlives the call.
    unsafe { _Unwind_Backtrace(each, (&raw mut stack).cast()) };
    stack
}

/// Where the program lies in memory, as seen from its file.
pub(super) fn program() -> usize {
    static BEGIN: AtomicUsize = AtomicUsize::new(usize::MAX);
    unsafe extern "C" fn first(info: *mut dl_phdr_info, _: size_t, begin: *mut c_void) -> c_int {
        // SAFETY: libc hands on information, and what `program` gave it.
        unsafe { *begin.cast::<usize>() = (*info).dlpi_addr as usize };
        1
    }
    let known = BEGIN.load(Ordering::Relaxed);
    if known != usize::MAX {
        return known;
    }
    let mut begin = 0usize;
    // SAFETY: the first that is told is the program itself; `first` writes where it is told to.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut begin).cast()) };
    BEGIN.store(begin, Ordering::Relaxed);
    begin
}

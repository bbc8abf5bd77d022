//! Libc's own functions, found by their names.

use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::c_void;

/// A function of libc's.
pub(super) struct Real {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Self {
        Real {
            name,
            address: AtomicPtr::new(null_mut()),
        }
    }

    /// Its address.
    #[inline]
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        match known.is_null() {
            true => self.found(),
            false => known,
        }
    }

    #[cold]
    fn found(&self) -> *mut c_void {
        // SAFETY: the name ends with a zero, and is only read. The function that comes next is libc's, or that of a
        // library which itself stands before it.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if found.is_null() {
            // Every glibc has all of them; without one there is nothing that could be done.
            std::process::abort();
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

//! How long this thread has been computing, for `assert_time!`.
//!
//! One of four modules with `unsafe` (ARCHITECTURE.md, "Invariants"): the standard library has no such clock, and what a
//! crate for it would take to build every test program would pay.

use std::time::Duration;

/// The processor time of this thread, from an unknown beginning; where there is no such clock, the time that passes.
pub(crate) fn processor_time() -> Duration {
    clock::now()
}

#[cfg(all(
    any(target_os = "linux", target_os = "macos"),
    target_pointer_width = "64",
    not(miri)
))]
#[expect(unsafe_code, reason = "a function of C is called")]
mod clock {
    use std::ffi::{c_int, c_long, c_void};
    use std::time::Duration;

    /// `CLOCK_THREAD_CPUTIME_ID`.
    const THIS_THREAD: c_int = if cfg!(target_os = "macos") { 16 } else { 3 };

    /// `struct timespec`, which is two words on these systems.
    #[repr(C)]
    #[derive(Default)]
    struct Time {
        seconds: c_long,
        nanoseconds: c_long,
    }

    unsafe extern "C" {
        fn clock_gettime(clock: c_int, time: *mut c_void) -> c_int;
    }

    pub fn now() -> Duration {
        let mut time = Time::default();
        // SAFETY: the clock is one that POSIX knows, and the pointer is to a time that nobody else has.
        let failed = unsafe { clock_gettime(THIS_THREAD, (&raw mut time).cast()) } != 0;
        match (u64::try_from(time.seconds), u32::try_from(time.nanoseconds)) {
            (Ok(seconds), Ok(nanoseconds)) if !failed => Duration::new(seconds, nanoseconds),
            _ => super::passing::now(),
        }
    }
}

#[cfg(not(all(
    any(target_os = "linux", target_os = "macos"),
    target_pointer_width = "64",
    not(miri)
)))]
use passing as clock;

/// The time that passes.
mod passing {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    pub fn now() -> Duration {
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        BEGIN.get_or_init(Instant::now).elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_while_this_thread_computes_and_hardly_while_it_waits() {
        let before = processor_time();
        let mut sum = 0u64;
        while processor_time() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(processor_time() > before);
        let times = [passing::now(), passing::now()];
        assert!(times[0] <= times[1]);
    }
}

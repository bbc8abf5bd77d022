//! Functions of libc that the test program defines itself, in place of libc's own.
//!
//! A program that defines a function of a shared library takes precedence over it. So what asks for entropy can be
//! answered by the seed, and what a run touches that can differ from run to run is counted. All of these functions do
//! what libc's do; where no run is controlled or watched, that is all they do.
//!
//! One of four modules with `unsafe` (ARCHITECTURE.md, "Invariants"): it has the signatures of C, calls what libc has, and
//! enters the kernel.

#![expect(
    unsafe_code,
    reason = "functions of C cannot be replaced from safe code, nor called by their address"
)]

#[cfg(feature = "entropy")]
mod check;
// With glibc as a shared library, which has the functions that ours stand in for, on processors that pass arguments
// alike whether or not their number varies.
#[cfg(all(
    target_env = "gnu",
    not(target_feature = "crt-static"),
    any(
        all(target_arch = "x86_64", target_pointer_width = "64"),
        target_arch = "aarch64"
    )
))]
mod counted;
#[cfg(not(all(
    target_env = "gnu",
    not(target_feature = "crt-static"),
    any(
        all(target_arch = "x86_64", target_pointer_width = "64"),
        target_arch = "aarch64"
    )
)))]
#[path = "uncounted.rs"]
mod counted;
mod entropy;
mod stack;
mod watch;

#[cfg(feature = "entropy")]
use crate::entropy::stream;

#[cfg(feature = "entropy")]
pub(crate) use check::check;
pub(crate) use watch::Watch;

/// Entropy can be controlled with the feature alone; the error says so.
#[cfg(not(feature = "entropy"))]
pub(crate) fn check() -> Result<(), String> {
    Err(crate::entropy::NEEDS_FEATURE.to_owned())
}

/// Called before `main`, and so before anybody asks for anything on purpose.
#[used]
// SAFETY: the section holds pointers to functions of this type, and what this one calls needs nothing of `main`.
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = {
    extern "C" fn at_start() {
        // First, since what it asks for would be taken from the streams of a process that is controlled.
        counted::at_start();
        #[cfg(feature = "entropy")]
        control();
    }
    at_start
};

/// Lets the entropy of this process and of its children follow a seed, if the environment states one.
#[cfg(feature = "entropy")]
fn control() {
    extern "C" fn before_fork() {
        stream::before_fork();
    }
    extern "C" fn in_child() {
        stream::in_forked_child();
    }
    stream::control_process();
    // SAFETY: both touch nothing but streams, and need no lock that another thread may hold. Where there is no memory
    // for them, forked children draw what their parent draws.
    unsafe { libc::pthread_atfork(Some(before_fork), None, Some(in_child)) };
}

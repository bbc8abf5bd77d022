//! Whether our functions are those that the program calls.
//!
//! Another crate may define functions of libc's too, such as one that simulates clocks. Where the linker needs ours for
//! nothing else, it takes the other's and says nothing, and nobody would count what a run touches.

use std::ptr::{null, null_mut};

use libc::timespec;

use crate::probe;
use crate::replaced::stack::program;

/// Whether what this program calls is counted.
pub(super) fn are_called() -> bool {
    probe::start();
    probe::watched(|| CALLS.iter().for_each(|call| call()));
    let (probe, _) = probe::seen(program());
    probe::start();
    let counted: u64 = probe.touches().iter().map(|touch| touch.count).sum();
    counted >= CALLS.len() as u64
}

/// No time: whoever asks to sleep for so long is refused at once.
const WRONG: timespec = timespec {
    tv_sec: 0,
    tv_nsec: -1,
};

/// Defines calls that change nothing. Each touches something, and they are of every sort that Rust's own library makes and
/// that has no effect: no process or thread is started.
macro_rules! calls {
    ($($call:expr;)*) => {
        [$(|| {
            // SAFETY: every pointer is null where that is allowed, or leads to memory that is large enough; times and
            // descriptors of -1, and null as a folder, are refused; what is opened is closed.
            let _ = unsafe { $call };
        }),*]
    };
}

static CALLS: [fn(); 17] = calls! {
    libc::getrandom([0u8].as_mut_ptr().cast(), 1, 0);
    libc::syscall(libc::SYS_getrandom, [0u8].as_mut_ptr(), 1usize, 0);
    libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut WRONG.clone());
    libc::gettimeofday([0u64; 2].as_mut_ptr().cast(), null_mut());
    libc::time(null_mut());
    libc::nanosleep(&WRONG, null_mut());
    libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &WRONG, null_mut());
    libc::poll(null_mut(), 0, 0);
    libc::epoll_wait(-1, null_mut(), 1, 0);
    libc::socket(-1, 0, 0);
    libc::getaddrinfo(null(), null(), null(), &mut null_mut());
    libc::getpid();
    libc::close(libc::open(c"/".as_ptr(), libc::O_RDONLY));
    libc::close(libc::open64(c"/".as_ptr(), libc::O_RDONLY));
    libc::close(libc::openat64(libc::AT_FDCWD, c"/".as_ptr(), libc::O_RDONLY));
    libc::closedir(libc::opendir(c"/".as_ptr()));
    libc::statx(libc::AT_FDCWD, c"/".as_ptr(), 0, 0, [0u64; 64].as_mut_ptr().cast());
};

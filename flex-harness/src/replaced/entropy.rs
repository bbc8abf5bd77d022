//! The two functions of libc by which Rust code on Linux asks for entropy, in place of libc's own.
//!
//! A program that defines a function of a shared library takes precedence over it. std and getrandom 0.3 and 0.4 look
//! for `getrandom`; getrandom 0.2, and with it rand 0.8, calls `syscall`. Both do what libc's do, except that `getrandom`
//! answers threads in a controlled run, or in a process that is controlled as a whole, by their stream. What a watched
//! thread asks for is counted; so is its waiting for locks, for which std calls `syscall` too.

use libc::{c_long, c_uint, c_void, size_t, ssize_t};

#[cfg(not(any(
    all(target_arch = "x86_64", target_pointer_width = "64"),
    target_arch = "aarch64"
)))]
use libc::syscall as kernel;
#[cfg(any(
    all(target_arch = "x86_64", target_pointer_width = "64"),
    target_arch = "aarch64"
))]
pub(super) use replaced::kernel;

use super::stack::touch;
use crate::entropy::stream;
use crate::probe::TouchKind;

/// By this, `cargo flex detect` knows that what an executable asks for can follow a seed.
#[cfg(feature = "entropy")]
#[used]
static MARKER: [u8; 16] = *b"\x1eflex entropy 1\x1e";

/// Whether the program finds these functions where it looks for libc's at run time.
pub(super) fn is_found() -> bool {
    // With musl, programs are linked statically and do not look at run time.
    if cfg!(target_env = "musl") {
        return true;
    }
    // SAFETY: the name ends with a zero, and is only read.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"getrandom".as_ptr()) };
    found.cast_const() == getrandom as *const c_void
}

/// Replaces `getrandom(2)` of libc.
///
/// # Safety
///
/// As for libc's: `buffer` is null, or `length` bytes can be written there.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut c_void, length: size_t, flags: c_uint) -> ssize_t {
    let number = libc::SYS_getrandom;
    let arguments = (buffer as c_long, length as c_long, flags as c_long);
    // The kernel answers first, and so refuses what it would refuse without us: flags, and memory that is not there.
    // SAFETY: these are the arguments of this system call, which asks for the same promise.
    let answer = unsafe { kernel(number, arguments.0, arguments.1, arguments.2, 0, 0, 0) };
    if answer > 0 {
        // SAFETY: the kernel has just written so many bytes there.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), answer as usize) };
        // Threads that are in no run keep what the kernel gave.
        touch(match stream::draw(bytes) {
            true => TouchKind::ControlledEntropy,
            false => TouchKind::Entropy,
        });
    }
    answer as ssize_t
}

/// `syscall(2)` of libc, which takes any number of arguments: only assembly can say that.
#[cfg(any(
    all(target_arch = "x86_64", target_pointer_width = "64"),
    target_arch = "aarch64"
))]
mod replaced {
    use std::arch::naked_asm;

    use libc::{c_int, c_long};

    use super::super::stack::touch;
    use crate::probe::TouchKind;

    /// Replaces `syscall(2)` of libc: `getrandom` goes to ours, `futex` is counted, everything else goes to the kernel.
    ///
    /// # Safety
    ///
    /// As for libc's, which takes as many arguments as the call has.
    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn syscall(number: c_long) -> c_long {
        #[cfg(target_arch = "x86_64")]
        naked_asm!(
            "cmp rdi, {futex_number}",
            "je {futex}",
            "cmp rdi, {number}",
            "jne {kernel}",
            "mov rdi, rsi",
            "mov rsi, rdx",
            "mov rdx, rcx",
            "jmp {getrandom}",
            number = const libc::SYS_getrandom,
            futex_number = const libc::SYS_futex,
            kernel = sym kernel,
            getrandom = sym super::getrandom,
            futex = sym futex,
        );
        #[cfg(target_arch = "aarch64")]
        naked_asm!(
            "cmp x0, {futex_number}",
            "b.eq 3f",
            "cmp x0, {number}",
            "b.ne 2f",
            "mov x0, x1",
            "mov x1, x2",
            "mov x2, x3",
            "b {getrandom}",
            "2: b {kernel}",
            "3: b {futex}",
            number = const libc::SYS_getrandom,
            futex_number = const libc::SYS_futex,
            kernel = sym kernel,
            getrandom = sym super::getrandom,
            futex = sym futex,
        );
    }

    /// `futex(2)`: whoever waits for a lock, a condition or another thread waits here.
    ///
    /// # Safety
    ///
    /// That of the call.
    unsafe extern "C" fn futex(
        number: c_long,
        a: c_long,
        operation: c_long,
        c: c_long,
        d: c_long,
        e: c_long,
        f: c_long,
    ) -> c_long {
        let command = operation as c_int & libc::FUTEX_CMD_MASK;
        if [
            libc::FUTEX_WAIT,
            libc::FUTEX_WAIT_BITSET,
            libc::FUTEX_LOCK_PI,
        ]
        .contains(&command)
        {
            touch(TouchKind::LockWait);
        }
        // SAFETY: the arguments are handed on as they came.
        unsafe { kernel(number, a, operation, c, d, e, f) }
    }

    /// Any system call. Without a frame of its own, so that calls that return twice return as from libc.
    ///
    /// # Safety
    ///
    /// That of the call.
    #[unsafe(naked)]
    pub(in crate::replaced) unsafe extern "C" fn kernel(
        number: c_long,
        a: c_long,
        b: c_long,
        c: c_long,
        d: c_long,
        e: c_long,
        f: c_long,
    ) -> c_long {
        // The kernel answers with −1 to −4095 for an error.
        #[cfg(target_arch = "x86_64")]
        naked_asm!(
            "mov rax, rdi",
            "mov rdi, rsi",
            "mov rsi, rdx",
            "mov rdx, rcx",
            "mov r10, r8",
            "mov r8, r9",
            "mov r9, [rsp + 8]",
            "syscall",
            "cmp rax, -4095",
            "jae 2f",
            "ret",
            "2: mov rdi, rax",
            "jmp {failed}",
            failed = sym failed,
        );
        #[cfg(target_arch = "aarch64")]
        naked_asm!(
            "mov x8, x0",
            "mov x0, x1",
            "mov x1, x2",
            "mov x2, x3",
            "mov x3, x4",
            "mov x4, x5",
            "mov x5, x6",
            "svc 0",
            "cmn x0, 4095",
            "b.hs 2f",
            "ret",
            "2: b {failed}",
            failed = sym failed,
        );
    }

    /// Tells of an error as libc does.
    extern "C" fn failed(answer: c_long) -> c_long {
        // SAFETY: libc gives every thread its own `errno`, always there.
        unsafe { *libc::__errno_location() = -answer as c_int };
        -1
    }
}

#[cfg(test)]
#[cfg(feature = "entropy")]
mod tests {
    use std::io;

    use super::*;
    use crate::entropy::Entropy;

    /// What `getrandom` answers, and the error if it is one.
    fn asked(buffer: *mut u8, length: usize, flags: c_uint) -> Result<usize, i32> {
        // SAFETY: every caller below gives a buffer of this length, or one that the kernel refuses.
        let answer = unsafe { getrandom(buffer.cast(), length, flags) };
        usize::try_from(answer).map_err(|_| io::Error::last_os_error().raw_os_error().unwrap())
    }

    /// The same through `syscall`, as getrandom 0.2 asks.
    fn asked_by_number(buffer: *mut u8, length: usize, flags: c_uint) -> Result<usize, i32> {
        // SAFETY: as above.
        let answer = unsafe { libc::syscall(libc::SYS_getrandom, buffer, length, flags) };
        usize::try_from(answer).map_err(|_| io::Error::last_os_error().raw_os_error().unwrap())
    }

    type Asked = fn(*mut u8, usize, c_uint) -> Result<usize, i32>;
    const BOTH: [Asked; 2] = [asked, asked_by_number];

    fn controlled<T>(body: impl FnOnce() -> T) -> T {
        Entropy::of_run([3; 32]).unwrap().during(body)
    }

    #[test]
    fn outside_of_runs_it_is_the_kernel_that_answers() {
        for ask in BOTH {
            let (mut a, mut b) = ([0u8; 32], [0u8; 32]);
            assert_eq!(ask(a.as_mut_ptr(), 32, 0), Ok(32));
            assert_eq!(ask(b.as_mut_ptr(), 32, libc::GRND_INSECURE), Ok(32));
            // Equal with probability 2^-256.
            assert_ne!(a, b);
            assert_eq!(ask(a.as_mut_ptr(), 0, 0), Ok(0));
        }
    }

    #[test]
    fn within_a_run_the_stream_answers() {
        let draw = |ask: Asked| {
            let mut bytes = [0u8; 600];
            assert_eq!(ask(bytes.as_mut_ptr(), 600, libc::GRND_NONBLOCK), Ok(600));
            bytes
        };
        let first = controlled(|| draw(asked));
        assert_eq!(controlled(|| draw(asked)), first);
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        assert_eq!(controlled(|| draw(asked_by_number)), first);
        let elsewhere = || std::thread::spawn(move || draw(asked)).join().unwrap();
        assert_ne!(controlled(elsewhere), first);
    }

    #[test]
    fn errors_are_those_of_the_kernel_with_and_without_a_run() {
        let check = || {
            for ask in BOTH {
                let mut bytes = [0u8; 8];
                let unknown = 0x4000;
                assert_eq!(ask(bytes.as_mut_ptr(), 8, unknown), Err(libc::EINVAL));
                let contradiction = libc::GRND_RANDOM | libc::GRND_INSECURE;
                assert_eq!(ask(bytes.as_mut_ptr(), 8, contradiction), Err(libc::EINVAL));
                assert_eq!(ask(std::ptr::null_mut(), 8, 0), Err(libc::EFAULT));
                let nowhere = std::ptr::without_provenance_mut(0x10);
                assert_eq!(ask(nowhere, 8, 0), Err(libc::EFAULT));
                let constant: &'static [u8; 8] = b"constant";
                assert_eq!(ask(constant.as_ptr().cast_mut(), 8, 0), Err(libc::EFAULT));
                assert_eq!(bytes, [0; 8]);
            }
        };
        check();
        controlled(check);
    }

    /// What a forked child draws.
    fn drawn_by_child() -> [u8; 16] {
        let mut bytes = [0u8; 16];
        let mut ends = [0; 2];
        // SAFETY: the child calls nothing but `getrandom`, `write` and `_exit`, which may be called after a fork.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            let child = libc::fork();
            if child == 0 {
                getrandom(bytes.as_mut_ptr().cast(), 16, 0);
                libc::write(ends[1], bytes.as_ptr().cast(), 16);
                libc::_exit(0);
            }
            assert!(child > 0);
            assert_eq!(libc::read(ends[0], bytes.as_mut_ptr().cast(), 16), 16);
            assert_eq!(libc::waitpid(child, std::ptr::null_mut(), 0), child);
            libc::close(ends[0]);
            libc::close(ends[1]);
        }
        bytes
    }

    #[test]
    fn forked_children_draw_neither_what_their_parent_draws_nor_what_others_do() {
        let draw = || {
            let mut bytes = [0u8; 16];
            assert_eq!(asked(bytes.as_mut_ptr(), 16, 0), Ok(16));
            bytes
        };
        let all = || {
            [
                drawn_by_child(),
                drawn_by_child(),
                draw(),
                drawn_by_child(),
                draw(),
            ]
        };
        let first = controlled(all);
        // Equal with probability 2^-128.
        for (place, bytes) in first.iter().enumerate() {
            assert!(!first[..place].contains(bytes), "{first:?}");
        }
        assert_eq!(controlled(all), first);
    }

    #[test]
    fn other_system_calls_get_all_their_arguments_and_tell_of_errors() {
        // SAFETY: the calls below write nothing but the page that they map.
        unsafe {
            let id = libc::syscall(libc::SYS_getpid);
            assert_eq!(id, c_long::from(std::process::id()));
            assert_eq!(libc::syscall(libc::SYS_close, -1), -1);
            assert_eq!(io::Error::last_os_error().raw_os_error(), Some(libc::EBADF));
            // Six arguments, the last of which is wrong: an offset within a page.
            let map = |offset: c_long| {
                let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                libc::syscall(libc::SYS_mmap, 0usize, 4096usize, access, kind, -1, offset)
            };
            assert_eq!(map(1), -1);
            assert_eq!(
                io::Error::last_os_error().raw_os_error(),
                Some(libc::EINVAL)
            );
            let page = map(0);
            assert_eq!(*(page as *const u8), 0);
            assert_eq!(libc::syscall(libc::SYS_munmap, page, 4096usize), 0);
        }
    }
}

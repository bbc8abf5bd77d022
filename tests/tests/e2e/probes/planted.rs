//! A crate with functions that touch one source of variation each, and functions that touch none.

use flex_tests::project::Project;

const MANIFEST: &str = r#"
[dependencies.fastrand]
version = "2"

[dependencies.getrandom_0_2]
package = "getrandom"
version = "0.2"

[dependencies.rand_0_8]
package = "rand"
version = "0.8"

[features]
default = ["flex-harness/entropy"]

[profile.dev.package.probed]
debug = "line-tables-only"

[profile.release.package.probed]
opt-level = 3
"#;

/// Functions by what they touch; those under no cause touch nothing.
pub const PLANTED: [(&str, &[&str]); 7] = [
    (
        "",
        &[
            "numbers",
            "ordered_map",
            "text",
            "printed",
            "caught_panic",
            "file_in_temp",
            "folder_in_temp",
            "own_file",
            "own_folder",
            "own_thread_local",
            "uncontended",
            "environment",
            "told_through_a_channel",
            "in_the_future",
        ],
    ),
    (
        "randomness",
        &[
            "hash_map",
            "hash_set",
            "hashed",
            "drawn",
            "drawn_by_number",
            "asked_by_number",
            "random_device",
            "process_number",
        ],
    ),
    (
        "time",
        &[
            "instant",
            "elapsed",
            "wall_clock",
            "since_epoch",
            "seeded_by_time",
            "seconds_of_c",
            "micros_of_c",
        ],
    ),
    (
        "concurrency",
        &[
            "thread",
            "named_thread",
            "scoped_thread",
            "threads_that_race",
            "process",
            "process_with_output",
            "shell_of_c",
        ],
    ),
    (
        "async-wait",
        &[
            "sleep",
            "sleep_of_c",
            "nanos_of_c",
            "polled",
            "selected",
            "epolled",
        ],
    ),
    (
        "network",
        &[
            "listener",
            "connection",
            "datagram",
            "unix_pair",
            "looked_up",
        ],
    ),
    (
        "files",
        &[
            "hosts",
            "foreign_folder",
            "foreign_file_exists",
            "state_of_the_machine",
            "beside_the_package",
            "from_another_folder",
        ],
    ),
];

const LIBRARY: &str = r#"
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{c_int, c_long, c_uint, c_ulong, c_void};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant, SystemTime};

pub fn numbers() {
    let mut values: Vec<u64> = (0..1000).map(|i| i * 7919 % 1000).collect();
    values.sort();
    assert!(values.iter().sum::<u64>() == 499_500);
}
pub fn ordered_map() {
    let map: BTreeMap<u64, String> = (0..100).map(|i| (i, i.to_string())).collect();
    assert_eq!(map.len(), 100);
}
pub fn text() {
    assert_eq!(format!("{:>5.2}", 1.5), " 1.50");
    assert_eq!("1.5".parse(), Ok(1.5));
}
pub fn printed() {
    println!("to one");
    eprintln!("and the other");
}
pub fn caught_panic() {
    assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
}
pub fn file_in_temp() {
    let file = std::env::temp_dir().join("flex-probed-file");
    std::fs::write(&file, "text").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
}
pub fn folder_in_temp() {
    let folder = std::env::temp_dir().join("flex-probed-folder");
    std::fs::create_dir_all(folder.join("a/b")).unwrap();
    std::fs::write(folder.join("a/b/c"), "text").unwrap();
    assert!(folder.join("a/b/c").exists());
    std::fs::remove_dir_all(folder).unwrap();
}
pub fn own_file() {
    let relative = std::fs::read_to_string("src/../Cargo.toml").unwrap();
    let absolute = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert_eq!(std::fs::read_to_string(absolute).unwrap(), relative);
}
pub fn own_folder() {
    assert!(std::fs::read_dir("src").unwrap().count() > 0);
    assert!(std::env::current_exe().unwrap().exists());
}
pub fn own_thread_local() {
    thread_local! { static COUNT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) } }
    COUNT.set(COUNT.get() + 1);
}
pub fn uncontended() {
    static SUM: std::sync::Mutex<u32> = std::sync::Mutex::new(0);
    static ONCE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *SUM.lock().unwrap() += *ONCE.get_or_init(|| 3);
}
pub fn environment() {
    assert!(std::env::var_os("NOBODY_SETS_THIS").is_none());
    assert!(std::env::args().count() > 0);
}
pub fn told_through_a_channel() {
    let (sender, receiver) = std::sync::mpsc::channel();
    sender.send(7).unwrap();
    assert_eq!(receiver.recv(), Ok(7));
}
pub fn in_the_future() {
    use std::task::{Context, Poll, Waker};
    let mut ready = std::pin::pin!(async { 7 });
    assert_eq!(ready.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(7));
}
use std::future::Future;

pub fn hash_map() {
    let map: HashMap<u32, u32> = (0..10).map(|i| (i, i)).collect();
    assert!(map.keys().next().is_some());
}
pub fn hash_set() {
    assert!(HashSet::from([1, 2, 3]).iter().next().is_some());
}
pub fn hashed() {
    assert!(RandomState::new().hash_one(1) != 7);
}
pub fn drawn() {
    assert!(rand::random::<u64>() != 7);
}
pub fn drawn_by_number() {
    assert!(rand_0_8::random::<u64>() != 7);
}
pub fn asked_by_number() {
    getrandom_0_2::getrandom(&mut [0; 8]).unwrap();
}
pub fn random_device() {
    use std::io::Read;
    std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut [0; 8]).unwrap();
}
pub fn process_number() {
    assert!(std::process::id() != 0);
}

pub fn instant() {
    assert!(Instant::now() < Instant::now() + Duration::from_secs(1));
}
pub fn elapsed() {
    assert!(Instant::now().elapsed() < Duration::from_secs(3600));
}
pub fn wall_clock() {
    assert!(SystemTime::now() > SystemTime::UNIX_EPOCH);
}
pub fn since_epoch() {
    assert!(SystemTime::UNIX_EPOCH.elapsed().is_ok());
}
pub fn seeded_by_time() {
    assert!(fastrand::u64(..) != 7);
}
pub fn seconds_of_c() {
    assert!(unsafe { time(std::ptr::null_mut()) } > 0);
}
pub fn micros_of_c() {
    let mut time = [0 as c_long; 2];
    assert_eq!(unsafe { gettimeofday(time.as_mut_ptr().cast(), std::ptr::null_mut()) }, 0);
}

pub fn thread() {
    std::thread::spawn(|| {}).join().unwrap();
}
pub fn named_thread() {
    std::thread::Builder::new().name("worker".into()).spawn(|| {}).unwrap().join().unwrap();
}
pub fn scoped_thread() {
    std::thread::scope(|scope| {
        scope.spawn(|| {});
    });
}
pub fn threads_that_race() {
    let sum = std::sync::Mutex::new(0);
    std::thread::scope(|scope| {
        for i in 0..3 {
            let sum = &sum;
            scope.spawn(move || *sum.lock().unwrap() += i);
        }
    });
    assert_eq!(sum.into_inner().unwrap(), 3);
}
pub fn process() {
    assert!(std::process::Command::new("true").status().unwrap().success());
}
pub fn process_with_output() {
    let output = std::process::Command::new("echo").arg("a").output().unwrap();
    assert_eq!(output.stdout, b"a\n");
}
pub fn shell_of_c() {
    assert_eq!(unsafe { system(c"true".as_ptr()) }, 0);
}

unsafe extern "C" {
    fn time(time: *mut c_long) -> c_long;
    fn gettimeofday(time: *mut c_void, zone: *mut c_void) -> c_int;
    fn system(command: *const std::ffi::c_char) -> c_int;
    fn usleep(micros: c_uint) -> c_int;
    fn nanosleep(asked: *const c_void, left: *mut c_void) -> c_int;
    fn poll(files: *mut c_void, count: c_ulong, millis: c_int) -> c_int;
    fn select(n: c_int, r: *mut c_void, w: *mut c_void, e: *mut c_void, time: *mut c_void) -> c_int;
    fn epoll_create1(flags: c_int) -> c_int;
    fn epoll_wait(poll: c_int, events: *mut c_void, most: c_int, millis: c_int) -> c_int;
}

pub fn sleep() {
    std::thread::sleep(Duration::from_millis(1));
}
pub fn sleep_of_c() {
    assert_eq!(unsafe { usleep(1) }, 0);
}
pub fn nanos_of_c() {
    let nanos = [0 as c_long, 1];
    assert_eq!(unsafe { nanosleep(nanos.as_ptr().cast(), std::ptr::null_mut()) }, 0);
}
pub fn polled() {
    assert_eq!(unsafe { poll(std::ptr::null_mut(), 0, 1) }, 0);
}
pub fn selected() {
    let none = std::ptr::null_mut();
    let mut time = [0 as c_long, 1];
    assert_eq!(unsafe { select(0, none, none, none, time.as_mut_ptr().cast()) }, 0);
}
pub fn epolled() {
    let mut event = [0u64; 2];
    let waited = unsafe { epoll_wait(epoll_create1(0), event.as_mut_ptr().cast(), 1, 1) };
    assert_eq!(waited, 0);
}

pub fn listener() {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap();
}
pub fn connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
}
pub fn datagram() {
    std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
}
pub fn unix_pair() {
    std::os::unix::net::UnixStream::pair().unwrap();
}
pub fn looked_up() {
    use std::net::ToSocketAddrs;
    let _ = ("localhost", 80).to_socket_addrs();
}

pub fn hosts() {
    let _ = std::fs::read_to_string("/etc/hosts");
}
pub fn foreign_folder() {
    assert!(std::fs::read_dir("/etc").unwrap().count() > 0);
}
pub fn foreign_file_exists() {
    assert!(!std::path::Path::new("/etc/nobody-made-this").exists());
}
pub fn state_of_the_machine() {
    assert!(std::fs::File::open("/proc/stat").is_ok());
}
pub fn from_another_folder() {
    std::env::set_current_dir("/etc").unwrap();
    let _ = std::fs::read_to_string("hosts");
}
pub fn beside_the_package() {
    assert!(std::fs::read_to_string("/usr/../etc/nobody-made-this").is_err());
}
"#;

/// The crate: every function in a plain test and in an annotated one, and tests that fail or draw from their seed.
pub fn project() -> Project {
    let mut plain = "use flex_harness as _;\n".to_owned();
    let mut annotated = "use flex_harness::prelude::*;\n".to_owned();
    for name in PLANTED.iter().flat_map(|(_, names)| names.iter()) {
        plain += &format!("#[test]\nfn {name}() {{ probed::{name}(); }}\n");
        annotated += &format!(
            "#[stochastic_test]\nfn {name}() {{ probed::{name}(); let x = 1.5; assert_tail_bound!(x < _); }}\n"
        );
    }
    plain += "#[test]\nfn broken() { assert!(probed::text as fn() as usize == 0); }\n";
    plain += "#[test]\n#[should_panic]\nfn panics() { panic!(); }\n";
    plain += "#[test]\nfn ends_the_process() { std::process::exit(3); }\n";
    annotated +=
        "#[stochastic_test]\nfn seeded(rng: &mut TestRng) { assert!(rng.seed_u64() != 7); }\n";
    annotated += "#[stochastic_test(entropy = controlled)]\nfn controlled() { probed::hash_map(); probed::drawn(); }\n";
    annotated += "#[stochastic_test]\nfn touches_later(rng: &mut TestRng) { if rng.seed_u64() % 2 == 0 { probed::instant(); } }\n";
    Project::new(
        "probed",
        MANIFEST,
        &[
            ("src/lib.rs", LIBRARY),
            ("tests/plain.rs", &plain),
            ("tests/annotated.rs", &annotated),
        ],
    )
}

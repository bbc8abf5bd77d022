//! Writers at once, writers that are killed, and disks that are full.
//!
//! Other processes are this program again, run with [`ROLE`] set and told to do nothing but [`as_another_process`].

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use flex_run::store::{Store, StoreError};

use crate::fixture::{Fixture, insert, samples};

const ROLE: &str = "STORE_TEST_ROLE";
const FILE: &str = "STORE_TEST_FILE";

/// Counts in two entries at once, which must never differ.
fn count_on(store: &Store) -> Result<u32, StoreError> {
    store.update(|file| {
        let next = samples(file, "a") + 1;
        insert(file, "a", next);
        insert(file, "b", next);
        next
    })
}

/// Starts this program again for one role, by way of the words of `wrapper`.
fn start(wrapper: &[&str], role: &str, file: &Path) -> Child {
    let program = env::current_exe().unwrap();
    let mut words = wrapper.iter().map(PathBuf::from).chain([program]);
    Command::new(words.next().unwrap())
        .args(words)
        .args([
            "--exact",
            "processes::as_another_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, role)
        .env(FILE, file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Not a test but what the other processes do.
#[test]
fn as_another_process() {
    let (Ok(role), Ok(file)) = (env::var(ROLE), env::var(FILE)) else {
        return;
    };
    let store = Store::at(file);
    match role.split_once(' ') {
        Some(("insert", name)) => insert_many(&store, name),
        None if role == "count" => {
            println!("ready");
            loop {
                count_on(&store).unwrap();
            }
        }
        None if role == "fill" => outgrow_the_disk(&store),
        _ => panic!("no role {role}"),
    }
}

const MANY: u32 = 20;

fn insert_many(store: &Store, name: &str) {
    for number in 1..=MANY {
        store
            .update(|file| insert(file, &format!("{name}{number}"), number))
            .unwrap();
    }
}

fn check_all_are_there(fixture: &Fixture, names: &[String]) {
    let file = fixture.store.read().unwrap();
    assert_eq!(file.entries().len(), names.len() * MANY as usize);
    for name in names {
        for number in 1..=MANY {
            assert_eq!(samples(&file, &format!("{name}{number}")), number);
        }
    }
    assert_eq!(fixture.others(), [""; 0]);
}

#[test]
fn threads_that_write_at_once_lose_nothing() {
    let fixture = Fixture::empty();
    let names: Vec<String> = (0..8).map(|thread| format!("thread {thread}, ")).collect();
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| insert_many(&fixture.store, name));
        }
    });
    check_all_are_there(&fixture, &names);
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let fixture = Fixture::with("version = 2\n# Notes.\n");
    let names: Vec<String> = (0..8)
        .map(|process| format!("process {process}, "))
        .collect();
    let children: Vec<Child> = names
        .iter()
        .map(|name| start(&[], &format!("insert {name}"), fixture.store.path()))
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    check_all_are_there(&fixture, &names);
    assert_eq!(fixture.text().matches("# Notes.\n").count(), 1);
}

#[test]
fn a_writer_that_is_killed_at_any_moment_leaves_a_whole_file() {
    const KILLS: u64 = 120;
    let fixture = Fixture::empty();
    fixture
        .store
        .update(|file| ["a", "b"].map(|site| insert(file, site, 1)))
        .unwrap();
    let comments = ["# Of the file.\n", "# Above.\n", "# Beside."];
    let text = fixture.text();
    let decorated = "\n# Of the file.\n\n# Above.\n[[bound]] # Beside.";
    fs::write(
        fixture.store.path(),
        text.replacen("\n[[bound]]", decorated, 1),
    )
    .unwrap();

    let mut last = 1;
    let mut left_behind = 0;
    for kill in 0..KILLS {
        let mut child = start(&[], "count", fixture.store.path());
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = output.by_ref().lines();
        assert!(lines.any(|line| line.unwrap().contains("ready")));
        // 7919 is prime, so the moments spread over 15 ms.
        thread::sleep(Duration::from_micros(kill * 7919 % 15_000));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert!(
            cfg!(windows) || status.code().is_none(),
            "it failed by itself: {status}"
        );

        left_behind += fixture.others().len();
        let file = fixture.store.read().unwrap();
        let count = samples(&file, "a");
        assert!(count >= last, "{count} after {last}");
        assert_eq!(samples(&file, "b"), count);
        for comment in comments {
            assert_eq!(fixture.text().matches(comment).count(), 1, "{comment}");
        }
        last = count_on(&fixture.store).unwrap();
        assert_eq!(last, count + 1);
        assert_eq!(fixture.others(), [""; 0]);
    }
    println!("{KILLS} kills, {left_behind} temporary files left behind, {last} updates");
    assert!(u64::from(last) > KILLS + 1, "no writer came to write");
}

/// Writes a little, then more than there is room for.
fn outgrow_the_disk(store: &Store) {
    store.update(|file| insert(file, "small", 1)).unwrap();
    let before = fs::read(store.path()).unwrap();
    let error = store
        .update(|file| (0..500).for_each(|number| insert(file, &format!("{number}"), 1)))
        .unwrap_err();
    assert!(matches!(error, StoreError::Write { .. }), "{error}");
    assert!(error.to_string().contains("\nhint: make room"), "{error}");
    assert_eq!(fs::read(store.path()).unwrap(), before);
    let files = fs::read_dir(store.path().parent().unwrap()).unwrap();
    assert_eq!(files.count(), 1);
    store.update(|file| insert(file, "small", 2)).unwrap();
    println!("outgrown: {error}");
}

/// Asserts that a process came as far as that.
fn check_outgrown(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("outgrown: "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_file_that_would_outgrow_its_limit_stays_as_it_was() {
    let fixture = Fixture::empty();
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    check_outgrown(start(&["sh", "-c", limited], "fill", fixture.store.path()));
    assert_eq!(samples(&fixture.store.read().unwrap(), "small"), 2);
}

/// Where users may not mount anything, this shows nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_file_on_a_full_disk_stays_as_it_was() {
    let fixture = Fixture::empty();
    let mount = "mount -t tmpfs -o size=32k tmpfs \"${STORE_TEST_FILE%/*}\"";
    let run = format!("{mount} && exec \"$0\" \"$@\"");
    let apart = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
    ];
    let can_mount = Command::new(apart[0])
        .args(&apart[1..])
        .arg(mount)
        .env(FILE, fixture.store.path())
        .stderr(Stdio::null())
        .status();
    if can_mount.is_ok_and(|status| status.success()) {
        let wrapper = [&apart[..], &[run.as_str()]].concat();
        check_outgrown(start(&wrapper, "fill", fixture.store.path()));
    }
}
